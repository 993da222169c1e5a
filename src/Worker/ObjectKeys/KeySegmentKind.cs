namespace Worker.ObjectKeys;

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
