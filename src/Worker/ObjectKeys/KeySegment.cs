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
