namespace Quayside.Messaging.Json;

/// <summary>
/// Dead-letter reasons for faults that any JSON body can have, whatever the handler expects in it. They are part of the contract with
/// users: never changed, never reused.
/// </summary>
public static class JsonReasons
{
    /// <summary>The body is empty or all whitespace.</summary>
    public const string EmptyBody = "empty-body";

    /// <summary>The grammar of RFC 8259 is broken, or the text ends too early.</summary>
    public const string MalformedJson = "malformed-json";

    /// <summary>A byte sequence that is not UTF-8 (RFC 3629).</summary>
    public const string InvalidUtf8 = "invalid-utf8";

    /// <summary>An object repeats a property that the handler needs once.</summary>
    public const string DuplicateProperty = "duplicate-property";
}
