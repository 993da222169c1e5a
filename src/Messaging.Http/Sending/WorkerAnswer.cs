using System.Text.Json;
using Messaging.Telemetry;

namespace Messaging.Http.Sending;

/// <summary>The answer to <c>POST /messages</c>, parsed as the JSON of a worker. The texts are untrusted.</summary>
/// <param name="Id">The message's id; null where the answer has none.</param>
/// <param name="Status"><c>stored</c> or <c>dead-lettered</c>; null where the answer has none.</param>
/// <param name="Code">The reason of a dead letter, or the code of an error; null where the answer has none.</param>
/// <param name="Text">The description of either; null where the answer has none.</param>
internal sealed record WorkerAnswer(string? Id, string? Status, string? Code, string? Text)
{
    /// <returns>Null when the answer is not a JSON object.</returns>
    public static WorkerAnswer? Parse(ReadOnlyMemory<byte> body)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(body);
            JsonElement root = document.RootElement;
            return root.ValueKind == JsonValueKind.Object
                ? new WorkerAnswer(Read(root, "id"), Read(root, "status"), Read(root, "reason") ?? Read(root, "error"), Read(root, "description") ?? Read(root, "message"))
                : null;
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            // Not JSON, or a string with an invalid escape.
            return null;
        }
    }

    /// <summary>True when the answer confirms that the message with this id is stored. Any server can send a mere success status.</summary>
    public bool IsStored(string id) => Status == "stored" && Id == id;

    /// <summary>Describes an answer other than "stored" in one printable line.</summary>
    public static string Describe(int status, WorkerAnswer? answer, ReadOnlySpan<byte> body) => answer is { Code: not null }
        ? $"{status} {UntrustedText.Shorten(answer.Status ?? answer.Code)}: {UntrustedText.Shorten(answer.Status is null ? answer.Text : $"{answer.Code}: {answer.Text}")}"
        : $"{status}: {UntrustedText.Shorten(body)}";

    private static string? Read(JsonElement root, string name) =>
        root.TryGetProperty(name, out JsonElement value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;
}
