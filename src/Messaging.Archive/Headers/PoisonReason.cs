using Quayside.Messaging.Json;

namespace Quayside.Messaging.Archive.Headers;

/// <summary>
/// Why a body can never be stored, whatever is retried. <see cref="PoisonReasonCodes.Code"/> gives the stable text for dead
/// letters, log lines and metrics.
/// </summary>
internal enum PoisonReason
{
    /// <summary>Not poison.</summary>
    None = 0,

    /// <summary>The body is empty or blank; a byte order mark alone counts as empty.</summary>
    EmptyBody,

    /// <summary>The JSON grammar of RFC 8259 is broken, or the text ends too early.</summary>
    MalformedJson,

    /// <summary>A byte sequence that is not UTF-8 (RFC 3629): overlong, surrogate, truncated, above U+10FFFF.</summary>
    InvalidUtf8,

    /// <summary>An escape encodes half a surrogate pair, such as <c>\ud800</c> alone, which is not valid Unicode.</summary>
    LoneSurrogate,

    /// <summary>More than 64 levels of objects and arrays.</summary>
    TooDeep,

    /// <summary>A property occurs twice where <see cref="BodyValidation"/> forbids it.</summary>
    DuplicateProperty,

    /// <summary>A value on a path that the key uses is neither null nor of the kind that the key's template needs there.</summary>
    WrongType,

    /// <summary>Valid JSON whose top level is not an object.</summary>
    NotAnObject,

    /// <summary>The object is followed by something other than blanks.</summary>
    TrailingData,

    /// <summary>A property used as a date is neither empty nor a date.</summary>
    BadDate,

    /// <summary>Neither the body nor the source gave the message an id.</summary>
    MissingId,

    /// <summary>A property of the key is missing, null or empty, and the key has no substitute for it.</summary>
    MissingProperty,

    /// <summary>A value does not fit the rule of its placeholder, and the key has no substitute for it.</summary>
    InvalidValue,
}

/// <summary>The stable texts of <see cref="PoisonReason"/>. They are part of the contract with users: never changed, never used again.</summary>
internal static class PoisonReasonCodes
{
    /// <summary>The kebab-case code; empty for <see cref="PoisonReason.None"/>.</summary>
    public static string Code(this PoisonReason reason) => reason switch
    {
        PoisonReason.None => "",
        PoisonReason.EmptyBody => JsonReasons.EmptyBody,
        PoisonReason.MalformedJson => JsonReasons.MalformedJson,
        PoisonReason.InvalidUtf8 => JsonReasons.InvalidUtf8,
        PoisonReason.LoneSurrogate => "lone-surrogate",
        PoisonReason.TooDeep => "too-deep",
        PoisonReason.DuplicateProperty => JsonReasons.DuplicateProperty,
        PoisonReason.WrongType => "wrong-type",
        PoisonReason.NotAnObject => "not-an-object",
        PoisonReason.TrailingData => "trailing-data",
        PoisonReason.BadDate => "bad-date",
        PoisonReason.MissingId => "missing-id",
        PoisonReason.MissingProperty => "missing-property",
        PoisonReason.InvalidValue => "invalid-value",
        _ => throw new ArgumentOutOfRangeException(nameof(reason), reason, "Unknown reason."),
    };
}

/// <summary>Why and where a body is poison. The default value means "not poison".</summary>
/// <param name="Reason">The first fault in reading order, except that invalid UTF-8 is checked first.</param>
/// <param name="Position">Zero-based index in the body (a byte order mark counts) of the byte where the fault was detected; <see cref="OutsideBody"/> when it
/// is not in the body.</param>
/// <param name="Property">
/// The path that the key uses, when the fault is there; otherwise the top-level property that contains the fault, or the duplicate one. Printable ASCII of at
/// most <see cref="PropertyLogText.MaxLength"/> characters, safe to log. Null when the fault is not about a property.
/// </param>
internal readonly record struct Poison(PoisonReason Reason, int Position, string? Property)
{
    /// <summary>The position of a value that the source knows beside the body.</summary>
    public const int OutsideBody = -1;

    /// <summary>One line for a log or a dead letter's description, such as <c>wrong-type at byte 12, property "Product"</c>.</summary>
    public override string ToString() => Position == OutsideBody ? $"{Reason.Code()}, {Property}"
        : Property is null
        ? $"{Reason.Code()} at byte {Position}"
        : $"{Reason.Code()} at byte {Position}, property \"{Property}\"";
}
