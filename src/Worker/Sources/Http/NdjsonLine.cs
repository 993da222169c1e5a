namespace Worker.Sources.Http;

/// <summary>What <see cref="NdjsonSplitter"/> found next.</summary>
internal enum NdjsonLine
{
    /// <summary>Nothing more in these bytes.</summary>
    None = 0,

    /// <summary>A message.</summary>
    Message,

    /// <summary>A line above the limit; its bytes were dropped.</summary>
    TooLarge,
}
