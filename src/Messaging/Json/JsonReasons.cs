namespace Messaging.Json;

/// <summary>
/// Reasons of dead letters for what any JSON body can have wrong, whatever the handler expects in it. They are part of the contract with
/// users: never changed, never used again.
/// </summary>
public static class JsonReasons
{
    /// <summary>Nothing but blanks, or nothing at all.</summary>
    public const string EmptyBody = "empty-body";

    /// <summary>The grammar of RFC 8259 is broken, or the text ends too early.</summary>
    public const string MalformedJson = "malformed-json";

    /// <summary>A byte sequence that is not UTF-8 (RFC 3629).</summary>
    public const string InvalidUtf8 = "invalid-utf8";

    /// <summary>An object has a property twice that the handler needs once.</summary>
    public const string DuplicateProperty = "duplicate-property";
}
