using System.Buffers;
using System.IO.Pipelines;
using System.Text.Json;

namespace Lab.Json;

/// <summary>Utf8JsonReader over bytes in memory, from a stream, and from a pipe.</summary>
internal static class TokenLevel
{
    private const int BufferSize = 16 * 1024;

    public static void Read<TScan>(ReadOnlySpan<byte> bytes, ref TScan scan)
        where TScan : struct, IJsonScan
    {
        Utf8JsonReader reader = new(bytes);
        scan.Read(ref reader);
    }

    public static async ValueTask<TScan> ReadAsync<TScan>(Stream stream, TScan scan)
        where TScan : struct, IJsonScan
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(BufferSize);
        try
        {
            JsonReaderState state = default;
            int filled = 0;
            bool isFinal = false;
            while (!isFinal)
            {
                int read = await stream.ReadAsync(buffer.AsMemory(filled)).ConfigureAwait(false);
                filled += read;
                isFinal = read == 0;
                int consumed = Read(buffer.AsSpan(0, filled), isFinal, ref state, ref scan);
                buffer.AsSpan(consumed, filled - consumed).CopyTo(buffer);
                filled -= consumed;
                if (filled == buffer.Length)
                {
                    throw new InvalidDataException($"One token has more than {buffer.Length} bytes.");
                }
            }

            return scan;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    public static async ValueTask<TScan> ReadAsync<TScan>(PipeReader pipe, TScan scan)
        where TScan : struct, IJsonScan
    {
        JsonReaderState state = default;
        while (true)
        {
            ReadResult result = await pipe.ReadAsync().ConfigureAwait(false);
            SequencePosition consumed = Read(result.Buffer, result.IsCompleted, ref state, ref scan);
            pipe.AdvanceTo(consumed, result.Buffer.End);
            if (result.IsCompleted)
            {
                await pipe.CompleteAsync().ConfigureAwait(false);
                return scan;
            }
        }
    }

    private static int Read<TScan>(ReadOnlySpan<byte> bytes, bool isFinal, ref JsonReaderState state, ref TScan scan)
        where TScan : struct, IJsonScan
    {
        Utf8JsonReader reader = new(bytes, isFinal, state);
        scan.Read(ref reader);
        state = reader.CurrentState;
        return (int)reader.BytesConsumed;
    }

    private static SequencePosition Read<TScan>(in ReadOnlySequence<byte> bytes, bool isFinal, ref JsonReaderState state, ref TScan scan)
        where TScan : struct, IJsonScan
    {
        Utf8JsonReader reader = new(bytes, isFinal, state);
        scan.Read(ref reader);
        state = reader.CurrentState;
        return reader.Position;
    }
}
