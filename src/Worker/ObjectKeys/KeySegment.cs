using System.Runtime.InteropServices;

namespace Worker.ObjectKeys;

/// <summary>A step of a compiled template.</summary>
/// <param name="Kind">What it does.</param>
/// <param name="Slot">The property in the header that it reads, where it reads one.</param>
/// <param name="Rule">How a property becomes a part.</param>
/// <param name="IsFirst">True where the template uses the property for the first time: what is missing counts once per message.</param>
/// <param name="Text">UTF-8 written after the value; of a date, the text with zeros where the fields go. May be empty.</param>
/// <param name="Fields">Of a date: where in <paramref name="Text"/> each field goes.</param>
/// <param name="Skip">How many of the next segments are left out without a date.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct KeySegment(
    KeySegmentKind Kind,
    int Slot,
    KeyRule Rule,
    bool IsFirst,
    byte[] Text,
    (int Offset, KeyDateField Field)[] Fields,
    int Skip);

/// <summary>What a segment of a compiled template writes before its fixed text.</summary>
internal enum KeySegmentKind
{
    /// <summary>Nothing: the fixed text alone.</summary>
    Fixed = 0,

    /// <summary>A property's value by the rule of <see cref="KeyPart"/>.</summary>
    Property,

    /// <summary>The id by the rule of <see cref="MessageIdEncoding"/>.</summary>
    MessageId,

    /// <summary>Nothing, but fields of a date are put into the fixed text.</summary>
    Date,

    /// <summary>Nothing; the segments of the date levels that follow are left out when the property has no date.</summary>
    SkipWithoutDate,
}
