using Quayside.Pipeline.Buffers;

namespace Lab.Techniques.Collectors;

/// <summary>Messages of 1 KiB on two threads, each kept until 500 later ones have arrived: long enough to outlive a collection.</summary>
internal static class MessageLoad
{
    private const int Threads = 2;
    private const int Kept = 500;
    private const int MessageBytes = 1_024;

    /// <summary>A new array per message.</summary>
    /// <returns>Messages whose bytes were right when they were released.</returns>
    public static Task<int> AllocatingAsync(int messages) => OnThreadsAsync(messages, static count =>
    {
        byte[]?[] kept = new byte[Kept][];
        int right = 0;
        for (int message = 0; message < count + Kept; message++)
        {
            ref byte[]? place = ref kept[message % Kept];
            right += place is not null && Check(place, message - Kept) ? 1 : 0;
            place = message < count ? Fill(new byte[MessageBytes], message) : null;
        }

        return right;
    });

    /// <summary>The worker's pooled buffers.</summary>
    /// <returns>Messages whose bytes were right when they were released.</returns>
    public static Task<int> PooledAsync(int messages) => OnThreadsAsync(messages, static count =>
    {
        PooledBuffer?[] kept = new PooledBuffer?[Kept];
        int right = 0;
        for (int message = 0; message < count + Kept; message++)
        {
            ref PooledBuffer? place = ref kept[message % Kept];
            if (place is not null)
            {
                right += Check(place.WrittenSpan, message - Kept) ? 1 : 0;
                place.Dispose();
                place = null;
            }

            if (message < count)
            {
                place = BufferPool.Shared.Rent(MessageBytes);
                place.GetSpan(MessageBytes);
                place.Advance(MessageBytes);
                Mark(place.WrittenSpan, message);
            }
        }

        return right;
    });

    private static async Task<int> OnThreadsAsync(int messages, Func<int, int> run)
    {
        int[] right = await Task.WhenAll(Enumerable.Range(0, Threads).Select(_ => Task.Run(() => run(messages / Threads))));
        return right.Sum();
    }

    private static byte[] Fill(byte[] bytes, int message)
    {
        Mark(bytes, message);
        return bytes;
    }

    private static void Mark(Span<byte> bytes, int message) => bytes[0] = bytes[^1] = (byte)message;

    private static bool Check(ReadOnlySpan<byte> bytes, int message) => bytes[0] == (byte)message && bytes[^1] == (byte)message;
}
