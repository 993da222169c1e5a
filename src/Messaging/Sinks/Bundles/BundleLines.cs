using System.IO.Compression;

namespace Quayside.Messaging.Sinks.Bundles;

/// <summary>
/// Reads the messages of a bundle, also of one that is cut off: then the lines before the cut. Holds about one line at a time. Threads:
/// one at a time.
/// </summary>
/// <param name="bundle">What <see cref="BundleContent"/> wrote, or its beginning; disposed when it was read.</param>
/// <param name="maxLineBytes">Reading ends at a longer line.</param>
internal sealed class BundleLines(Stream bundle, int maxLineBytes)
{
    private const int StartSize = 64 << 10;

    private bool _isDamaged;
    private bool _isComplete;

    /// <summary>
    /// True for a bundle that has lines and can be read to its end. Of a damaged one no line can be trusted, since only gzip's checksum at the end shows the
    /// damage.
    /// </summary>
    /// <param name="bundle">The whole bundle; disposed.</param>
    /// <param name="maxLineBytes">A bundle with a longer line counts as damaged.</param>
    public static bool AreIntact(Stream bundle, int maxLineBytes)
    {
        BundleLines lines = new(bundle, maxLineBytes);
        return lines.Read().Count() > 0 && lines._isComplete;
    }

    /// <summary>The lines without their line ends, each a copy; enumerated once.</summary>
    public IEnumerable<byte[]> Read()
    {
        using GZipStream gzip = new(bundle, CompressionMode.Decompress);
        byte[] buffer = new byte[Math.Min(StartSize, maxLineBytes)];
        int filled = 0;
        int read;
        while ((read = Read(gzip, buffer, filled)) > 0)
        {
            int start = 0;
            int end = Array.IndexOf(buffer, (byte)'\n', filled, read);
            filled += read;
            while (end >= 0)
            {
                yield return buffer[start..end];
                start = end + 1;
                end = Array.IndexOf(buffer, (byte)'\n', start, filled - start);
            }

            // The line that is not read to its end moves to the beginning.
            Array.Copy(buffer, start, buffer, 0, filled - start);
            filled -= start;
            if (filled == maxLineBytes)
            {
                yield break;
            }

            if (filled == buffer.Length)
            {
                Array.Resize(ref buffer, (int)Math.Min(2L * filled, maxLineBytes));
            }
        }

        _isComplete = !_isDamaged && filled == 0;
    }

    private int Read(GZipStream gzip, byte[] buffer, int filled)
    {
        try
        {
            return gzip.Read(buffer.AsSpan(filled));
        }
        catch (InvalidDataException)
        {
            _isDamaged = true;
            return 0;
        }
    }
}
