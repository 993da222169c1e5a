using System.Runtime.InteropServices;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>A step of a compiled template.</summary>
/// <param name="Kind">Its kind.</param>
/// <param name="Slot">The slot of the property that it reads, if any.</param>
/// <param name="Rule">How a property becomes a part.</param>
/// <param name="Limit">Maximum bytes of a property's part, at which a longer value is cut; 0 without a limit of its own.</param>
/// <param name="IsFirst">True for the template's first use of the property, so that a missing one counts once per message.</param>
/// <param name="Text">UTF-8 written after the value; for a date, the text with zeros in place of the fields. May be empty.</param>
/// <param name="Fields">For a date: the position of each field in <paramref name="Text"/>.</param>
/// <param name="Skip">How many of the next segments are left out without a date.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct KeySegment(
    KeySegmentKind Kind,
    int Slot,
    KeyRule Rule,
    int Limit,
    bool IsFirst,
    byte[] Text,
    (int Offset, KeyDateField Field)[] Fields,
    int Skip);

/// <summary>What a segment of a compiled template writes before its fixed text.</summary>
internal enum KeySegmentKind
{
    /// <summary>Nothing, only the fixed text.</summary>
    Fixed = 0,

    /// <summary>A property's value by the rule of <see cref="KeyPart"/>.</summary>
    Property,

    /// <summary>The id, by <see cref="KeyPart.WriteId"/>.</summary>
    MessageId,

    /// <summary>Nothing, but the fields of a date are written into the fixed text.</summary>
    Date,

    /// <summary>Nothing; without a date the segments of the following date levels are left out.</summary>
    SkipWithoutDate,
}
