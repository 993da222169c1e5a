using System.Runtime.CompilerServices;
using Messaging.CloudFront.Documents;
using Messaging.CloudFront.Gzip;
using Messaging.CloudFront.Rows;
using Messaging.Sinks;
using Pipeline.Buffers;
using Pipeline.Frames;

namespace Messaging.CloudFront;

/// <summary>
/// Reads compressed logs into documents. Immutable: one instance serves all threads. Memory a log: a window of 128 KiB (or twice the
/// longest row), zlib's state of about 40 KiB, and what the sink holds; none of it grows with the log. Expected bytes allocated a row: 0.
/// </summary>
/// <param name="shape">Columns and fields.</param>
/// <param name="limits">What a log may be.</param>
/// <param name="buffers">Lends buffers.</param>
internal sealed class LogIndexer(DocumentShape shape, LogLimits limits, BufferPool buffers)
{
    // Less is not worth another call to the decompressor; it is more than the decompressor's seal needs.
    private const int LeastRead = 1_024;

    /// <summary>Reads one log. What was written before a fault stays with the sink, which may have indexed it.</summary>
    /// <param name="source">The object's bytes. Borrowed.</param>
    /// <param name="length">How many there are; -1 when unknown.</param>
    /// <param name="id">Ids of its documents.</param>
    /// <param name="writer">Where they go. Borrowed.</param>
    /// <param name="numbers">Learns which rows became no documents.</param>
    /// <param name="badRows">Sets rows aside.</param>
    /// <param name="cancellationToken">Ends everything.</param>
    /// <returns>What happened; a failing source is a value. Throws what <paramref name="writer"/> and <paramref name="badRows"/> throw.</returns>
    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    public async ValueTask<LogOutcome> IndexAsync(
        Stream source, long length, DocumentId id, IDocumentWriter writer, RowNumbers numbers, IBadRows badRows, CancellationToken cancellationToken)
    {
        using GzipReader gzip = new(source, length, limits.Gzip);
        using LogParser parser = new(new ColumnMap(shape.Columns, required: shape.Fields), limits.MaxRowBytes);
        using LogDocuments documents = new(new RowDocuments(shape, limits.DecodePercent, buffers), id, writer, numbers, limits.MaxBadRows, buffers);
        bool isComplete = false;
        while (!isComplete)
        {
            GzipRead read;
            do
            {
                try
                {
                    read = await gzip.ReadAsync(parser.Free, cancellationToken);
                }
                catch (Exception exception) when (exception is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
                {
                    return new LogOutcome(LogFault.None, string.Empty, null, exception, parser.Rows, documents.BadRows);
                }

                if (read.Fault != LogFault.None)
                {
                    return Fail(read.Fault, $"{Explain(read.Fault)} Noticed after {gzip.Taken} compressed bytes and {parser.Rows} rows.", parser, documents);
                }

                parser.Advance(read.Count);
            }
            while (read.Count > 0 && parser.Free.Length >= LeastRead);

            isComplete = read.Count == 0;
            if (isComplete)
            {
                parser.Finish();
            }

            ParseStatus status;
            while ((status = parser.Parse(documents)) == ParseStatus.Paused)
            {
                if (documents.HasTooManyBadRows)
                {
                    return Fail(LogFault.TooManyBadRows, $"Row {parser.Rows} is number {documents.BadRows} that cannot be read, and {CloudFrontOptions.Section}:{nameof(CloudFrontOptions.MaxBadRows)} allows {limits.MaxBadRows}.", parser, documents);
                }

                if (documents.Bad is { } bad)
                {
                    await badRows.KeepAsync(bad, cancellationToken);
                    documents.Forget();
                }

                if (writer.IsFull && !await writer.SendAsync(cancellationToken))
                {
                    // It failed for good; the sink says how.
                    return await CompleteAsync(writer, parser, documents, cancellationToken);
                }
            }

            if (status == ParseStatus.Failed)
            {
                return Fail(parser.Fault, parser.FaultDetail, parser, documents);
            }
        }

        return await CompleteAsync(writer, parser, documents, cancellationToken);
    }

    private static string Explain(LogFault fault) => fault switch
    {
        LogFault.NotGzip => "The object is empty, or no gzip.",
        LogFault.GzipTruncated => "The object ends within a gzip member: it was cut.",
        LogFault.GzipCorrupt => "A gzip member's data, checksum or length is wrong.",
        LogFault.GzipTrailingData => "Something that is no gzip member follows the last one.",
        LogFault.TooLarge => $"There is more than {CloudFrontOptions.Section}:{nameof(CloudFrontOptions.MaxLogBytes)} allows.",
        _ => $"It decompresses to more than {CloudFrontOptions.Section}:{nameof(CloudFrontOptions.MaxRatio)} allows.",
    };

    private static LogOutcome Fail(LogFault fault, string detail, LogParser parser, LogDocuments documents) =>
        new(fault, detail, null, null, parser.Rows, documents.BadRows);

    private static async ValueTask<LogOutcome> CompleteAsync(IDocumentWriter writer, LogParser parser, LogDocuments documents, CancellationToken cancellationToken) =>
        new(LogFault.None, string.Empty, await writer.CompleteAsync(cancellationToken), null, parser.Rows, documents.BadRows);
}

/// <summary>How reading one log into documents ended.</summary>
/// <param name="Fault">What is wrong with the log; none when it was read to its verified end, or when the sink or the source failed before.</param>
/// <param name="Detail">For people: more about the fault; may be empty.</param>
/// <param name="Documents">What became of the documents; null when the log was not read to its end.</param>
/// <param name="SourceFailure">What reading the object ended in; null when it did not fail.</param>
/// <param name="Rows">Rows read, bad ones included.</param>
/// <param name="BadRows">Rows that were set aside.</param>
internal readonly record struct LogOutcome(LogFault Fault, string Detail, DocumentsResult? Documents, Exception? SourceFailure, long Rows, int BadRows);

/// <summary>What a log may be, and how its values are taken.</summary>
/// <param name="Gzip">Bytes and ratio.</param>
/// <param name="MaxRowBytes">Longest row.</param>
/// <param name="MaxBadRows">Rows that may be set aside before the whole log fails.</param>
/// <param name="DecodePercent">Whether percent-encoding in values is undone.</param>
internal sealed record LogLimits(GzipLimits Gzip, int MaxRowBytes, int MaxBadRows, bool DecodePercent);

/// <summary>Sets rows aside that cannot become documents.</summary>
internal interface IBadRows
{
    /// <summary>Keeps a row durably.</summary>
    /// <exception cref="IOException">It could not be kept; the log must not count as done.</exception>
    ValueTask KeepAsync(BadRow row, CancellationToken cancellationToken);
}
