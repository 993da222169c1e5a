namespace Worker.Headers;

/// <summary>
/// Why a body can never be stored, however often it is tried. <see cref="PoisonReasonCodes.Code"/> gives the stable text that
/// goes into dead letters, logs and metrics.
/// </summary>
internal enum PoisonReason
{
    /// <summary>Not poison.</summary>
    None = 0,

    /// <summary>Nothing but blanks, or nothing at all; a byte order mark alone counts as nothing.</summary>
    EmptyBody,

    /// <summary>The JSON grammar of RFC 8259 is broken, or the text ends too early.</summary>
    MalformedJson,

    /// <summary>A byte sequence that is not UTF-8 (RFC 3629): overlong, surrogate, truncated, above U+10FFFF.</summary>
    InvalidUtf8,

    /// <summary>An escape of half a surrogate pair, such as <c>\ud800</c> alone: no Unicode text has it.</summary>
    LoneSurrogate,

    /// <summary>More than 64 levels of objects and arrays.</summary>
    TooDeep,

    /// <summary>A property occurs twice where <see cref="BodyValidation"/> forbids it.</summary>
    DuplicateProperty,

    /// <summary>A value on a path that the key uses is neither null nor of the kind that the key's template needs there.</summary>
    WrongType,

    /// <summary>Valid JSON whose top level is not an object.</summary>
    NotAnObject,

    /// <summary>Something other than blanks follows the object.</summary>
    TrailingData,

    /// <summary>A property used as a date is neither empty nor a date.</summary>
    BadDate,

    /// <summary>Neither the body nor the source gave the message an id.</summary>
    MissingId,

    /// <summary>A property of the key is missing, null or empty, and the key has no substitute for it.</summary>
    MissingProperty,

    /// <summary>The rule of a placeholder does not take its value, and the key has no substitute for it.</summary>
    InvalidValue,
}
