using Quayside.Messaging.CloudFront.Gzip;

namespace Messaging.Tests.CloudFront;

/// <summary>Reads a whole object.</summary>
internal static class GzipRun
{
    public static readonly GzipLimits Limits = new(64L << 20, 200);

    public static async Task<(byte[] Bytes, string? Fault)> ReadAsync(Stream source, long length = -1, GzipLimits? limits = null, int buffer = 8_192)
    {
        using GzipReader reader = new(source, length, limits ?? Limits);
        using MemoryStream all = new();
        byte[] piece = new byte[buffer];
        while (true)
        {
            GzipRead read = await reader.ReadAsync(piece, TestContext.Current.CancellationToken);
            if (read.Count == 0)
            {
                return (all.ToArray(), read.Fault);
            }

            read.Fault.ShouldBeNull();
            all.Write(piece, 0, read.Count);
        }
    }

    public static Task<(byte[] Bytes, string? Fault)> ReadAsync(byte[] compressed, int piece = int.MaxValue) => ReadAsync(Pieces.Of(compressed, piece));
}
