namespace Messaging.Sources.Lines;

/// <summary>What <see cref="LineSplitter"/> found.</summary>
public enum LineKind
{
    /// <summary>The bytes ended before the line did.</summary>
    None = 0,

    /// <summary>A message.</summary>
    Line,

    /// <summary>A line of nothing but blanks, tabs and carriage returns: no message.</summary>
    Blank,

    /// <summary>A line longer than the limit; its bytes are gone.</summary>
    TooLong,
}
