namespace Quayside.Messaging.Json;

/// <summary>
/// Dead-letter reasons for faults that any JSON body can have, whatever the handler expects in it. They are part of the contract with
/// users: never changed, never reused.
/// </summary>
internal static class JsonReasons
{
    /// <summary>The body is empty or all whitespace.</summary>
    public const string EmptyBody = "empty-body";

    /// <summary>The grammar of RFC 8259 is broken, or the text ends too early.</summary>
    public const string MalformedJson = "malformed-json";

    /// <summary>A byte sequence that is not UTF-8 (RFC 3629).</summary>
    public const string InvalidUtf8 = "invalid-utf8";

    /// <summary>An object repeats a property that the handler needs once.</summary>
    public const string DuplicateProperty = "duplicate-property";

    /// <summary>What to do about a body that is JSON in UTF-16, as the end of a description; empty for another body.</summary>
    public static string AdviceFor(ReadOnlySpan<byte> body) =>
        body is [0xFF, 0xFE, ..] or [0xFE, 0xFF, ..] or [0, > 0, ..] or [> 0, 0, ..] ? " It looks like UTF-16; send it as UTF-8." : string.Empty;
}
