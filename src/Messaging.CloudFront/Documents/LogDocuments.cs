using Messaging.CloudFront.Rows;
using Messaging.Sinks;
using Pipeline.Buffers;

namespace Messaging.CloudFront.Documents;

/// <summary>
/// Turns the rows of one log into documents, and pauses the parser whenever something has to be waited for: a full batch, a bad row
/// to be set aside. Threads: one at a time. Expected bytes allocated a row: 0; a bad one is copied.
/// </summary>
internal sealed class LogDocuments : ILogRows, IDisposable
{
    private readonly RowDocuments _rows;
    private readonly DocumentId _id;
    private readonly IDocumentWriter _writer;
    private readonly RowNumbers _numbers;
    private readonly int _maxBadRows;
    private readonly BufferPool _buffers;
    private PooledBuffer? _bad;
    private long _badNumber;
    private RowFault _badFault;

    /// <param name="rows">Writes a row. Owned from here on.</param>
    /// <param name="id">Ids of this log's documents.</param>
    /// <param name="writer">Where they go. Borrowed.</param>
    /// <param name="numbers">Learns which rows became none.</param>
    /// <param name="maxBadRows">With more of them the log fails.</param>
    /// <param name="buffers">Lends what a bad row is kept in until it is set aside.</param>
    public LogDocuments(RowDocuments rows, DocumentId id, IDocumentWriter writer, RowNumbers numbers, int maxBadRows, BufferPool buffers)
    {
        _rows = rows;
        _id = id;
        _writer = writer;
        _numbers = numbers;
        _maxBadRows = maxBadRows;
        _buffers = buffers;
    }

    /// <summary>Rows that became no documents.</summary>
    public int BadRows { get; private set; }

    /// <summary>True when there are more of them than allowed.</summary>
    public bool HasTooManyBadRows => BadRows > _maxBadRows;

    /// <summary>The bad row that the parser paused for; null when there is none. Valid until <see cref="Forget"/>.</summary>
    public BadRow? Bad => _bad is null ? null : new BadRow(_badNumber, _badFault, _bad.WrittenMemory);

    public bool Take(in LogRow row) =>
        _rows.TryWrite(row, _id.Of(row.Number), _writer)
            ? !_writer.IsFull
            : TakeBad(row.Number, row.Text, RowFault.InvalidUtf8);

    public bool TakeBad(long number, ReadOnlySpan<byte> text, RowFault fault)
    {
        BadRows++;
        _numbers.LeaveOut(number);
        if (!HasTooManyBadRows)
        {
            _bad = _buffers.Rent(text.Length);
            _bad.Append(text);
            _badNumber = number;
            _badFault = fault;
        }

        return false;
    }

    /// <summary>The bad row was set aside.</summary>
    public void Forget()
    {
        _bad?.Dispose();
        _bad = null;
    }

    public void Dispose()
    {
        Forget();
        _rows.Dispose();
    }
}

/// <summary>A row that is set aside.</summary>
/// <param name="Number">Which, as <see cref="LogRow.Number"/>.</param>
/// <param name="Fault">Why.</param>
/// <param name="Text">Its bytes, or the first of them. A borrow of the call.</param>
internal readonly record struct BadRow(long Number, RowFault Fault, ReadOnlyMemory<byte> Text);
