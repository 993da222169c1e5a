using System.Runtime.CompilerServices;
using Quayside.Messaging.CloudFront.Documents;
using Quayside.Messaging.CloudFront.Gzip;
using Quayside.Messaging.CloudFront.Rows;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Frames;

namespace Quayside.Messaging.CloudFront;

/// <summary>
/// Reads compressed logs into documents. Immutable: one instance serves all threads. Memory per log: a window of 128 KiB (or twice the
/// longest row), zlib's state of about 40 KiB, and the sink's batches; none of it grows with the log. Expected bytes allocated per row: 0.
/// </summary>
/// <param name="shape">Columns and fields.</param>
/// <param name="limits">Limits of a log.</param>
/// <param name="buffers">Lends buffers.</param>
internal sealed class LogIndexer(DocumentShape shape, LogLimits limits, BufferPool buffers)
{
    // A smaller read is not worth another call to the decompressor. The gzip seal needs less than this.
    private const int MinRead = 1_024;

    /// <summary>Reads one log. Documents written before a fault stay in the sink, which may have indexed them.</summary>
    /// <param name="source">The object's bytes. Borrowed.</param>
    /// <param name="length">The number of bytes; -1 when unknown.</param>
    /// <param name="id">Ids of its documents.</param>
    /// <param name="writer">Receives the documents. Borrowed.</param>
    /// <param name="badRows">Dead-letters bad rows.</param>
    /// <param name="cancellationToken">Cancels the indexing.</param>
    /// <returns>The outcome, also when the source fails. Throws the exceptions of <paramref name="writer"/> and <paramref name="badRows"/>.</returns>
    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    public async ValueTask<LogOutcome> IndexAsync(
        Stream source, long length, DocumentId id, IDocumentWriter writer, IBadRows badRows, CancellationToken cancellationToken)
    {
        using GzipReader gzip = new(source, length, limits.Gzip);
        using LogParser parser = new(new ColumnMap(shape.Columns, shape.Required), limits.MaxRowBytes);
        using LogDocuments documents = new(shape, id, writer, limits.MaxBadRows, buffers);
        string? firstBad = null;
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
                    return new LogOutcome(null, string.Empty, null, exception, parser.Rows, documents.BadRows);
                }

                if (read.Fault is not null)
                {
                    return Fail(read.Fault, $"{Explain(read.Fault)} Detected after {gzip.Taken} compressed bytes and {parser.Rows} rows.", parser, documents);
                }

                parser.Advance(read.Count);
            }
            while (read.Count > 0 && parser.Free.Length >= MinRead);

            isComplete = read.Count == 0;
            if (isComplete)
            {
                parser.Finish();
            }

            ParseStatus status;
            while ((status = parser.Parse(documents)) == ParseStatus.Paused)
            {
                if (documents.FindBad(parser.Columns, parser.MissingColumn) is { } bad)
                {
                    firstBad ??= bad.Describe();
                    if (documents.HasTooManyBadRows)
                    {
                        return Fail(
                            LogFault.TooManyBadRows,
                            $"{documents.BadRows} of the first {parser.Rows} rows cannot be read; "
                                + $"{CloudFrontOptions.Section}:{nameof(CloudFrontOptions.MaxBadRows)} allows {limits.MaxBadRows}. {firstBad}",
                            parser,
                            documents);
                    }

                    await badRows.KeepAsync(bad, cancellationToken);
                    documents.Forget();
                }

                if (writer.IsFull && !await writer.SendAsync(cancellationToken))
                {
                    // The sink has failed; completing returns its result.
                    LogOutcome failed = await CompleteAsync(writer, parser, documents, firstBad, cancellationToken);
                    return failed.Documents!.Value.Status is SinkStatus.Stored or SinkStatus.AlreadyStored
                        ? failed with
                        {
                            Documents = new DocumentsResult(
                            SinkStatus.Undecided, 0, 0, 0, "SendAsync returned false, as after a failure, and then CompleteAsync returned Stored")
                        }
                        : failed;
                }
            }

            if (status == ParseStatus.Failed)
            {
                return Fail(parser.Fault!, parser.FaultDetail, parser, documents);
            }
        }

        return await CompleteAsync(writer, parser, documents, firstBad, cancellationToken);
    }

    private static string Explain(string fault) => fault switch
    {
        LogFault.NotGzip => "The object is empty or not gzip.",
        LogFault.GzipTruncated => "The object ends within a gzip member: it is truncated.",
        LogFault.GzipCorrupt => "A gzip member's data, checksum or length is wrong.",
        LogFault.GzipTrailingData => "The last gzip member is followed by other data.",
        LogFault.TooLarge => $"The log is larger than {CloudFrontOptions.Section}:{nameof(CloudFrontOptions.MaxLogBytes)} allows.",
        _ => $"The log's compression ratio is higher than {CloudFrontOptions.Section}:{nameof(CloudFrontOptions.MaxRatio)} allows.",
    };

    private static LogOutcome Fail(string fault, string detail, LogParser parser, LogDocuments documents) =>
        new(fault, detail, null, null, parser.Rows, documents.BadRows);

    private static async ValueTask<LogOutcome> CompleteAsync(
        IDocumentWriter writer, LogParser parser, LogDocuments documents, string? firstBad, CancellationToken cancellationToken) =>
        new(null, firstBad ?? string.Empty, await writer.CompleteAsync(cancellationToken), null, parser.Rows, documents.BadRows);
}

/// <summary>How reading one log into documents ended.</summary>
/// <param name="Fault">What is wrong with the log; none when it was read to its verified end, or when the sink or the source failed first.</param>
/// <param name="Detail">For people: more about the fault, or about the first row that could not be read; may be empty.</param>
/// <param name="Documents">The documents by outcome; null when the log has a fault or the source failed.</param>
/// <param name="SourceFailure">The exception of reading the object; null when reading did not fail.</param>
/// <param name="Rows">Rows read, bad ones included.</param>
/// <param name="BadRows">Rows that became no documents.</param>
internal readonly record struct LogOutcome(string? Fault, string Detail, DocumentsResult? Documents, Exception? SourceFailure, long Rows, int BadRows);

/// <summary>The limits of a log.</summary>
/// <param name="Gzip">Limits of decompression.</param>
/// <param name="MaxRowBytes">Longest row.</param>
/// <param name="MaxBadRows">Bad rows that are dead-lettered one by one; with more the whole log fails.</param>
internal sealed record LogLimits(GzipLimits Gzip, int MaxRowBytes, int MaxBadRows);

/// <summary>Dead-letters rows that cannot become documents.</summary>
internal interface IBadRows
{
    /// <summary>Stores a row durably.</summary>
    /// <exception cref="IOException">The row could not be stored; the message must not be completed.</exception>
    ValueTask KeepAsync(BadRow row, CancellationToken cancellationToken);
}
