namespace Quayside.Messaging.Http.Source;

/// <summary>Recognizes a single body that holds several messages: when it is dead-lettered, its caller is told how to send them. 0 B.</summary>
internal static class BatchHint
{
    private const string Array = "The body is a JSON array, which is one message. To send its elements as messages, send each on a line of its own with "
        + "Content-Type: application/x-ndjson, or set Routes:{route}:Envelope=JsonArray at the worker.";

    private const string Lines =
        "The body has several JSON texts. To send each as a message, put each on a line of its own and send the body with Content-Type: application/x-ndjson.";

    /// <returns>Null for a body of one message.</returns>
    public static string? Of(ReadOnlySpan<byte> body)
    {
        body = body.TrimStart(" \t\r\n"u8);
        return body is [(byte)'[', ..] ? Array
            : body is [(byte)'{', ..] && (body.IndexOf("}{"u8) >= 0 || body.IndexOf("}\n{"u8) >= 0 || body.IndexOf("}\r\n{"u8) >= 0) ? Lines
            : null;
    }
}
