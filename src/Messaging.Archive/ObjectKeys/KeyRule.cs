namespace Messaging.Archive.ObjectKeys;

/// <summary>How a value becomes a part of a key: the word after the colon of a placeholder.</summary>
internal enum KeyRule
{
    /// <summary>No word: the rule of the seed. Letters, digits and <c>_</c> in lower case, blanks as <c>_</c>; nothing else fits.</summary>
    Seed = 0,

    /// <summary><c>keep</c>: letters, digits, <c>_ - .</c> unchanged; nothing else fits.</summary>
    Keep,

    /// <summary><c>lower</c>: as <see cref="Keep"/>, in lower case.</summary>
    Lower,

    /// <summary><c>encode</c>: as <see cref="Keep"/>, and everything else is escaped. Every value fits, and different values have different parts.</summary>
    Encode,

    /// <summary><c>number</c>: the JSON text of a number or boolean, escaped as by <see cref="Encode"/>.</summary>
    Number,
}
