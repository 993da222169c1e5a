using Quayside.Messaging.Json;

namespace Quayside.Messaging.Archive.Headers;

/// <summary>
/// Why a body can never be stored, whatever is retried: the codes of dead letters, log lines and metrics. They are part of the contract with users: never
/// changed, never used again.
/// </summary>
internal static class PoisonReason
{
    /// <summary>The body is empty or blank; a byte order mark alone counts as empty.</summary>
    public const string EmptyBody = JsonReasons.EmptyBody;

    /// <summary>The JSON grammar of RFC 8259 is broken, or the text ends too early.</summary>
    public const string MalformedJson = JsonReasons.MalformedJson;

    /// <summary>A byte sequence that is not UTF-8 (RFC 3629): overlong, surrogate, truncated, above U+10FFFF.</summary>
    public const string InvalidUtf8 = JsonReasons.InvalidUtf8;

    /// <summary>An escape encodes half a surrogate pair, such as <c>\ud800</c> alone, which is not valid Unicode.</summary>
    public const string LoneSurrogate = "lone-surrogate";

    /// <summary>More than 64 levels of objects and arrays.</summary>
    public const string TooDeep = "too-deep";

    /// <summary>A property occurs twice where <see cref="BodyValidation"/> forbids it.</summary>
    public const string DuplicateProperty = JsonReasons.DuplicateProperty;

    /// <summary>A value on a path that the key uses is neither null nor of the kind that the key's template needs there.</summary>
    public const string WrongType = "wrong-type";

    /// <summary>Valid JSON whose top level is not an object.</summary>
    public const string NotAnObject = "not-an-object";

    /// <summary>The object is followed by something other than blanks.</summary>
    public const string TrailingData = "trailing-data";

    /// <summary>A property used as a date is neither empty nor a date.</summary>
    public const string BadDate = "bad-date";

    /// <summary>Neither the body nor the source gave the message an id.</summary>
    public const string MissingId = "missing-id";

    /// <summary>A property of the key is missing, null or empty, and the key has no substitute for it.</summary>
    public const string MissingProperty = "missing-property";

    /// <summary>A value does not fit the rule of its placeholder, and the key has no substitute for it.</summary>
    public const string InvalidValue = "invalid-value";
}

/// <summary>Why and where a body is poison. The default value means "not poison".</summary>
/// <param name="Reason">The first fault in reading order, except that invalid UTF-8 is checked first.</param>
/// <param name="Position">Zero-based index in the body (a byte order mark counts) of the byte where the fault was detected; <see cref="OutsideBody"/> when it
/// is not in the body.</param>
/// <param name="Property">
/// The path that the key uses, when the fault is there; otherwise the top-level property that contains the fault, or the duplicate one.
/// Safe to log. Null when the fault is not about a property.
/// </param>
internal readonly record struct Poison(string? Reason, int Position, string? Property)
{
    /// <summary>The position of a value that the source knows beside the body.</summary>
    public const int OutsideBody = -1;

    /// <summary>One line for a log or a dead letter's description, such as <c>wrong-type at byte 12, property "Product"</c>.</summary>
    public override string ToString() => Position == OutsideBody ? $"{Reason}, {Property}"
        : Property is null
        ? $"{Reason} at byte {Position}"
        : $"{Reason} at byte {Position}, property \"{Property}\"";
}
