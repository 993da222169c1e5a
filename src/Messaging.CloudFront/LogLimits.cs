using Messaging.CloudFront.Gzip;

namespace Messaging.CloudFront;

/// <summary>What a log may be, and how its values are taken.</summary>
/// <param name="Gzip">Bytes and ratio.</param>
/// <param name="MaxRowBytes">Longest row.</param>
/// <param name="MaxBadRows">Rows that may be set aside before the whole log fails.</param>
/// <param name="DecodePercent">Whether percent-encoding in values is undone.</param>
internal sealed record LogLimits(GzipLimits Gzip, int MaxRowBytes, int MaxBadRows, bool DecodePercent);
