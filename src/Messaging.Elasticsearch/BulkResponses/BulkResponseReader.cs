using System.Runtime.CompilerServices;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Frames;

namespace Quayside.Messaging.Elasticsearch.BulkResponses;

/// <summary>Feeds a parser from a stream through one pooled buffer, which holds a window of the response. Threads: any.</summary>
internal static class BulkResponseReader
{
    // A response to a few hundred documents without failures fits one read.
    private const int FirstRead = 16 * 1024;

    /// <summary>Reads a response to its end, so that its connection can be used again.</summary>
    /// <param name="stream">The response; read to its end unless it is malformed.</param>
    /// <param name="parser">Reset by this call.</param>
    /// <param name="items">Receives the failed items.</param>
    /// <param name="maxBytes">Maximum length; a longer response counts as malformed.</param>
    /// <param name="buffers">Lends the window.</param>
    /// <param name="cancellationToken">Ends reading.</param>
    /// <returns><see cref="BulkParsing.Complete"/> or <see cref="BulkParsing.Malformed"/>. Exceptions of the stream are not caught.</returns>
    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    public static async ValueTask<BulkParsing> ReadAsync(
        Stream stream, BulkResponseParser parser, IBulkItems items, long maxBytes, BufferPool buffers, CancellationToken cancellationToken)
    {
        parser.Reset();
        PooledBuffer window = buffers.Rent(FirstRead);
        try
        {
            BulkParsing parsing = BulkParsing.NeedsMore;
            while (parsing == BulkParsing.NeedsMore)
            {
                int read = await stream.ReadAsync(window.GetMemory(), cancellationToken);
                maxBytes -= read;
                window.Advance(read);
                parsing = maxBytes < 0 ? BulkParsing.Malformed : Feed(window, isEnd: read == 0, parser, items);
            }

            return parsing;
        }
        finally
        {
            window.Dispose();
        }
    }

    private static BulkParsing Feed(PooledBuffer window, bool isEnd, BulkResponseParser parser, IBulkItems items)
    {
        Span<byte> bytes = window.WrittenSpan;
        BulkParsing parsing = parser.Read(bytes, isEnd, items, out int consumed);
        bytes[consumed..].CopyTo(bytes);
        window.Truncate(bytes.Length - consumed);
        return parsing;
    }
}
