using System.IO.Pipelines;
using System.Text.Json;

namespace Lab.Json;

/// <summary>The message's five properties at each level of System.Text.Json, from each kind of input.</summary>
internal static class MessageLevels
{
    public static MessageFields Reflection(byte[] bytes) => JsonSerializer.Deserialize<MessageFields>(bytes)!;

    public static MessageFields High(byte[] bytes) => JsonSerializer.Deserialize(bytes, JsonLevelsContext.Default.MessageFields)!;

    public static async ValueTask<MessageFields> HighAsync(Stream stream) =>
        (await JsonSerializer.DeserializeAsync(stream, JsonLevelsContext.Default.MessageFields).ConfigureAwait(false))!;

    public static async ValueTask<MessageFields> HighAsync(PipeReader pipe)
    {
        MessageFields fields = (await JsonSerializer.DeserializeAsync(pipe, JsonLevelsContext.Default.MessageFields).ConfigureAwait(false))!;
        await pipe.CompleteAsync().ConfigureAwait(false);
        return fields;
    }

    public static MessageFields Mid(byte[] bytes)
    {
        using JsonDocument document = JsonDocument.Parse(bytes);
        return Of(document.RootElement);
    }

    public static async ValueTask<MessageFields> MidAsync(Stream stream)
    {
        using JsonDocument document = await JsonDocument.ParseAsync(stream).ConfigureAwait(false);
        return Of(document.RootElement);
    }

    public static MessageFields Low(byte[] bytes)
    {
        MessageScan scan = default;
        TokenLevel.Read(bytes, ref scan);
        return scan.Result;
    }

    public static async ValueTask<MessageFields> LowAsync(Stream stream) =>
        (await TokenLevel.ReadAsync(stream, default(MessageScan)).ConfigureAwait(false)).Result;

    public static async ValueTask<MessageFields> LowAsync(PipeReader pipe) =>
        (await TokenLevel.ReadAsync(pipe, default(MessageScan)).ConfigureAwait(false)).Result;

    private static MessageFields Of(JsonElement message) => new(
        Text(message, "EventDateUtc"u8), Text(message, "Product"u8), Text(message, "SiteKey"u8), Text(message, "EventName"u8), Text(message, "MessageId"u8));

    private static string? Text(JsonElement message, ReadOnlySpan<byte> name) => message.TryGetProperty(name, out JsonElement value) ? value.GetString() : null;
}
