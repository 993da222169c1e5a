namespace Benchmarks.CloudFront;

/// <summary>The three columns of a row, as the parsers with strings return them.</summary>
internal readonly record struct LogRecord(string Date, string Time, string UserAgent);
