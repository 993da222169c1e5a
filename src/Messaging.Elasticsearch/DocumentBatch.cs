using System.Buffers;

namespace Quayside.Messaging.Elasticsearch;

/// <summary>
/// The lines of a bulk request in pooled segments, and where each document begins. They are kept until each document is accounted for,
/// because a retry sends only the documents that failed. One owner: the writer while it is filled, then its sender.
/// Allocates nothing per document once its arrays have grown. Threads: one at a time.
/// </summary>
internal sealed partial class DocumentBatch : IBufferWriter<byte>
{
    private const int FirstDocuments = 256;

    private static readonly byte[] NewLine = "\n"u8.ToArray();

    private readonly SegmentPool _pool;
    private readonly ItemRules _rules;
    private readonly List<Segment> _segments = [];

    // Offset of each document's action line, then the end of the last document; in written bytes over all segments.
    private int[] _starts = new int[FirstDocuments + 1];
    private byte[]? _last;
    private int _lastLength;
    private int _sealedBytes;
    private int _documents;
    private bool _isOpen;

    /// <param name="pool">Lends the memory.</param>
    /// <param name="rules">Classify the failed items of responses.</param>
    public DocumentBatch(SegmentPool pool, ItemRules rules)
    {
        _pool = pool;
        _rules = rules;
    }

    /// <summary>Number of documents, without an open one.</summary>
    public int Documents => _documents;

    /// <summary>Bytes of the request's body so far.</summary>
    public int Bytes => _sealedBytes + _lastLength;

    /// <summary>True when a request that has ended may still read the bytes: the segments are then left to the garbage collector.</summary>
    public bool IsLeftInUse { get; set; }

    /// <summary>Begins a document with its action line.</summary>
    public void Open(ReadOnlySpan<byte> before, ReadOnlySpan<byte> id, ReadOnlySpan<byte> behind)
    {
        if (_isOpen)
        {
            throw new InvalidOperationException("A document is already open.");
        }

        _isOpen = true;
        Span<byte> line = GetSpan(before.Length + id.Length + behind.Length);
        before.CopyTo(line);
        id.CopyTo(line[before.Length..]);
        behind.CopyTo(line[(before.Length + id.Length)..]);
        Advance(before.Length + id.Length + behind.Length);
    }

    /// <summary>Ends the open document with a newline.</summary>
    public void Close()
    {
        if (!_isOpen)
        {
            throw new InvalidOperationException("No document is open.");
        }

        _isOpen = false;
        GetSpan(1)[0] = NewLine[0];
        Advance(1);
        if (++_documents == _starts.Length)
        {
            Array.Resize(ref _starts, _starts.Length * 2);
        }

        _starts[_documents] = Bytes;
    }

    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)count, (uint)((_last?.Length ?? 0) - _lastLength), nameof(count));
        _lastLength += count;
    }

    public Memory<byte> GetMemory(int sizeHint = 0) => Room(sizeHint).AsMemory(_lastLength);

    public Span<byte> GetSpan(int sizeHint = 0) => Room(sizeHint).AsSpan(_lastLength);

    /// <summary>Returns the segments and empties the batch.</summary>
    public void Reset()
    {
        Seal();
        foreach (Segment segment in _segments)
        {
            _pool.Return(segment.Bytes, reusable: !IsLeftInUse);
        }

        _segments.Clear();
        _sealedBytes = 0;
        _documents = 0;
        _isOpen = false;
        IsLeftInUse = false;
        ResetAccount();
    }

    private byte[] Room(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        int needed = Math.Max(sizeHint, 1);
        if (_last is null || _last.Length - _lastLength < needed)
        {
            Seal();
            _last = _pool.Rent(needed);
        }

        return _last;
    }

    /// <summary>Adds the current array to the segments; the next write rents a new one.</summary>
    private void Seal()
    {
        if (_last is { } last)
        {
            _segments.Add(new Segment(last, _lastLength));
            _sealedBytes += _lastLength;
            _last = null;
            _lastLength = 0;
        }
    }

    /// <summary>A piece of a batch.</summary>
    /// <param name="Bytes">Owned by the batch; longer than <see cref="SegmentPool.SegmentBytes"/> only for a single larger write.</param>
    /// <param name="Length">Bytes written.</param>
    private readonly record struct Segment(byte[] Bytes, int Length);
}
