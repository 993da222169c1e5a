using System.Text.Json;
using Messaging.Telemetry;

namespace Messaging.Http.Sending;

/// <summary>What a server answered to <c>POST /messages</c>, read as the JSON that a worker answers with. The texts are from outside.</summary>
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
            // No JSON, or a string with an escape that is no character.
            return null;
        }
    }

    /// <summary>True for a worker's word that the message with this id is stored. A success status alone says nothing: any server may send it.</summary>
    public bool IsStored(string id) => Status == "stored" && Id == id;

    /// <summary>One printable line for an answer that is not "stored".</summary>
    public static string Describe(int status, WorkerAnswer? answer, ReadOnlySpan<byte> body) => answer is { Code: not null }
        ? $"{status} {UntrustedText.Shorten(answer.Status ?? answer.Code)}: {UntrustedText.Shorten(answer.Status is null ? answer.Text : $"{answer.Code}: {answer.Text}")}"
        : $"{status}: {UntrustedText.Shorten(body)}";

    private static string? Read(JsonElement root, string name) =>
        root.TryGetProperty(name, out JsonElement value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;
}
