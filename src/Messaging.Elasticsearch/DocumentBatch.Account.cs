using Quayside.Messaging.Elasticsearch.BulkResponses;

namespace Quayside.Messaging.Elasticsearch;

/// <content>Which documents are accounted for. Items of a response are noted, and take effect when the whole response is valid.</content>
internal sealed partial class DocumentBatch : IBulkItems
{
    // Documents that are not accounted for, in their order; the first _sent of them are in flight.
    private int[] _pending = new int[FirstDocuments];
    private int _sent;

    // The documents that the current response asks to send again.
    private int[] _again = new int[FirstDocuments];
    private int _againCount;
    private int _existing;
    private int _rejectedBefore;
    private bool _isOther;
    private BulkFault? _newDoubt;

    /// <summary>Number of documents that are not accounted for.</summary>
    public int Pending { get; private set; }

    public long Created { get; private set; }

    public long Existing { get; private set; }

    /// <summary>Documents that Elasticsearch will never accept.</summary>
    public List<RejectedDocument> Rejected { get; } = [];

    /// <summary>Why the last response asks to send documents again; null when it does not.</summary>
    public BulkFault? Retry { get; private set; }

    /// <summary>Why the last response refuses every document; null when it does not.</summary>
    public BulkFault? Refusal { get; private set; }

    /// <summary>
    /// Why one of <see cref="Rejected"/> may be the index's fault: it is the document's only if Elasticsearch accepts another document of the
    /// message. Null when there is none.
    /// </summary>
    public BulkFault? Doubt { get; private set; }

    /// <summary>Ends filling: all documents become pending.</summary>
    public void Complete()
    {
        Seal();
        if (_pending.Length < _documents)
        {
            _pending = new int[_starts.Length];
            _again = new int[_starts.Length];
        }

        for (int document = 0; document < _documents; document++)
        {
            _pending[document] = document;
        }

        Pending = _documents;
    }

    /// <summary>Begins an attempt to send the first <paramref name="count"/> pending documents.</summary>
    public void BeginAttempt(int count)
    {
        _sent = count;
        _againCount = 0;
        _existing = 0;
        _isOther = false;
        _newDoubt = null;
        Retry = null;
        Refusal = null;
        Rejected.RemoveRange(_rejectedBefore, Rejected.Count - _rejectedBefore);
    }

    public void Failed(in BulkItem item)
    {
        if (item.Index >= _sent || !HasId(_pending[item.Index], item))
        {
            _isOther = true;
            return;
        }

        ItemVerdict verdict = _rules.Judge(item);
        switch (verdict)
        {
            case ItemVerdict.Exists:
                _existing++;
                return;
            case ItemVerdict.Reject or ItemVerdict.RefuseUnlessAccepted:
                _newDoubt ??= verdict == ItemVerdict.Reject ? null : FaultOf(item, BulkFaultKind.Refused);
                Rejected.Add(new RejectedDocument(_pending[item.Index], item.Status, item.ReadType(), item.ReadReason()));
                return;
            case ItemVerdict.Refuse:
                Refusal ??= FaultOf(item, BulkFaultKind.Refused);
                break;
            default:
                Retry ??= FaultOf(item, BulkFaultKind.Transient);
                break;
        }

        _again[_againCount++] = _pending[item.Index];
    }

    /// <summary>Applies a valid response.</summary>
    /// <param name="items">Number of items in the response.</param>
    /// <returns>False when the response is about other documents than those sent: it is then ignored, and all of them stay pending.</returns>
    public bool TryAccount(int items)
    {
        if (_isOther || items != _sent)
        {
            return false;
        }

        int rejected = Rejected.Count - _rejectedBefore;
        Created += _sent - _againCount - _existing - rejected;
        Existing += _existing;
        _rejectedBefore = Rejected.Count;
        Doubt ??= _newDoubt;

        // Documents to send again precede those that were not sent yet; both keep their order.
        int rest = Pending - _sent;
        _pending.AsSpan(_sent, rest).CopyTo(_pending.AsSpan(_againCount));
        _again.AsSpan(0, _againCount).CopyTo(_pending);
        Pending = _againCount + rest;
        return true;
    }

    /// <summary>Rejects the first pending document, which alone is too large for Elasticsearch.</summary>
    public void RejectFirst(RejectedDocument rejected)
    {
        BeginAttempt(0);
        Rejected.Add(rejected with { Document = _pending[0] });
        _rejectedBefore++;
        Pending--;
        _pending.AsSpan(1, Pending).CopyTo(_pending);
    }

    private static BulkFault FaultOf(in BulkItem item, BulkFaultKind kind) => new(kind, item.ReadType(), item.Status, item.ReadReason());

    private bool HasId(int document, in BulkItem item)
    {
        ReadOnlySpan<byte> line = Slice(_starts[document], _starts[document + 1]).Span;
        return item.IsId(ActionLine.IdOf(line));
    }

    private void ResetAccount()
    {
        Pending = 0;
        _sent = 0;
        _againCount = 0;
        _existing = 0;
        _isOther = false;
        Created = 0;
        Existing = 0;
        Rejected.Clear();
        _rejectedBefore = 0;
        _newDoubt = null;
        Doubt = null;
        Retry = null;
        Refusal = null;
    }
}
