using Messaging.Aws.Sqs.Wire;

namespace Messaging.Aws.Sqs;

/// <summary>Up to 10 messages of one batch call, with their handles, changes and results. Reused by its owner. Threads: one.</summary>
internal sealed class SqsBatch
{
    private readonly SqsReceivedMessage[] _messages = new SqsReceivedMessage[SqsLimits.BatchEntries];
    private readonly ReadOnlyMemory<byte>[] _handles = new ReadOnlyMemory<byte>[SqsLimits.BatchEntries];
    private readonly VisibilityChange[] _changes = new VisibilityChange[SqsLimits.BatchEntries];
    private readonly BatchEntryResult[] _results = new BatchEntryResult[SqsLimits.BatchEntries];

    public int Count { get; private set; }

    public bool IsFull => Count == SqsLimits.BatchEntries;

    /// <summary>The handles of the call, one per message.</summary>
    public Memory<ReadOnlyMemory<byte>> Handles => _handles.AsMemory(0, Count);

    /// <summary>Space for one change per message.</summary>
    public Memory<VisibilityChange> Changes => _changes.AsMemory(0, Count);

    /// <summary>Space for one result per message.</summary>
    public Memory<BatchEntryResult> Results => _results.AsMemory(0, Count);

    /// <summary>The first result that is a failure; null when every entry succeeded.</summary>
    public BatchEntryResult? FirstFailure
    {
        get
        {
            foreach (BatchEntryResult result in Results.Span)
            {
                if (!result.Succeeded)
                {
                    return result;
                }
            }

            return null;
        }
    }

    public SqsReceivedMessage this[int index]
    {
        get => _messages[index];
        set => _messages[index] = value;
    }

    public void Add(SqsReceivedMessage message) => _messages[Count++] = message;

    /// <summary>Keeps the first messages; clears the others and all handles.</summary>
    public void Truncate(int count)
    {
        Array.Clear(_messages, count, Count - count);
        Array.Clear(_handles);
        Array.Clear(_changes);
        Count = count;
    }
}
