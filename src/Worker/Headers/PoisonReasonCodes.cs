using Messaging.Json;

namespace Worker.Headers;

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
