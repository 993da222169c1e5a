namespace Benchmarks.CloudFront;

/// <summary>The three columns that the parsers with strings make of a row.</summary>
internal readonly record struct LogRecord(string Date, string Time, string UserAgent);
