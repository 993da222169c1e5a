namespace Messaging.Sources.Lines;

/// <summary>The result of <see cref="LineSplitter"/>.</summary>
public enum LineKind
{
    /// <summary>The data ended before the line.</summary>
    None = 0,

    /// <summary>A message.</summary>
    Line,

    /// <summary>A line of only spaces, tabs and carriage returns: no message.</summary>
    Blank,

    /// <summary>A line longer than the limit; its bytes were discarded.</summary>
    TooLong,
}
