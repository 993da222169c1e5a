using Quayside.Messaging.CloudFront.Rows;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.CloudFront.Documents;

/// <summary>
/// Turns the rows of one log into documents. It pauses the parser when a batch is full or when a bad row must be dead-lettered.
/// Threads: one at a time. Expected bytes allocated per row: 0; a bad row is copied.
/// </summary>
internal sealed class LogDocuments : ILogRows, IDisposable
{
    private readonly RowDocuments _rows;
    private readonly DocumentId _id;
    private readonly IDocumentWriter _writer;
    private readonly int _maxBadRows;
    private readonly BufferPool _buffers;
    private PooledBuffer? _bad;
    private long _badNumber;
    private string _badFault = string.Empty;

    /// <param name="shape">Columns and fields.</param>
    /// <param name="id">Ids of this log's documents.</param>
    /// <param name="writer">Receives the documents. Borrowed.</param>
    /// <param name="maxBadRows">With more bad rows the log fails.</param>
    /// <param name="buffers">Lends the buffer that keeps a bad row until it is dead-lettered.</param>
    public LogDocuments(DocumentShape shape, DocumentId id, IDocumentWriter writer, int maxBadRows, BufferPool buffers)
    {
        _rows = new RowDocuments(shape);
        _id = id;
        _writer = writer;
        _maxBadRows = maxBadRows;
        _buffers = buffers;
    }

    /// <summary>Rows that became no documents.</summary>
    public int BadRows { get; private set; }

    /// <summary>True when there are more bad rows than allowed.</summary>
    public bool HasTooManyBadRows => BadRows > _maxBadRows;

    /// <summary>Returns the bad row that the parser paused for; null when there is none. Valid until <see cref="Forget"/>.</summary>
    /// <param name="columns">Columns that the log's fields directive names.</param>
    /// <param name="missing">The first required column that the row lacks, if it is one in JSON.</param>
    public BadRow? FindBad(int columns, string? missing) => _bad is null ? null : new BadRow(_badNumber, _badFault, _bad.WrittenMemory, columns, missing);

    public bool Take(in LogRow row) =>
        _rows.TryWrite(row, _id.Of(row.Number), _writer)
            ? !_writer.IsFull
            : TakeBad(row.Number, row.Text, RowFault.InvalidUtf8);

    public bool TakeBad(long number, ReadOnlySpan<byte> text, string fault)
    {
        BadRows++;
        _bad = _buffers.Rent(text.Length);
        _bad.Append(text);
        _badNumber = number;
        _badFault = fault;
        return false;
    }

    /// <summary>Drops the bad row.</summary>
    public void Forget()
    {
        _bad?.Dispose();
        _bad = null;
    }

    public void Dispose() => Forget();
}
