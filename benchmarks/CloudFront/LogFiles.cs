using Tests.Shared.CloudFront;

namespace Benchmarks.CloudFront;

/// <summary>The inputs, generated: logs of 10,000 rows of 26 columns, about 3.86 MB, 49 KB compressed.</summary>
internal static class LogFiles
{
    public const int Rows = 10_000;

    public static byte[] One(int seed = 1) => AccessLog.CreateCompressed(Rows, seed: seed);

    public static byte[][] Many(int count) => [.. Enumerable.Range(1, count).Select(One)];

    public static byte[] Plain() => AccessLog.Create(Rows);
}
