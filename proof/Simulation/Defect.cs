namespace Proof.Simulation;

/// <summary>Defects planted between the worker and what it uses, to show that the checks find them.</summary>
internal enum Defect
{
    None,

    /// <summary>The sink reports stored before it has stored.</summary>
    AcknowledgeBeforeStore,

    /// <summary>The sink reports stored although its store failed for good.</summary>
    SwallowFailure,

    /// <summary>An existing object is taken for the message's own without a comparison.</summary>
    AcceptExistingObject,

    /// <summary>A cancelled store counts as stored.</summary>
    StoredWhenCancelled,

    /// <summary>The object is cut short.</summary>
    TruncateBody,

    /// <summary>Another object is stored under the key.</summary>
    ReuseBuffer,

    /// <summary>A proxy's 200 is taken for the store's answer.</summary>
    BelieveAnyAnswer,

    /// <summary>Documents that Elasticsearch reports as failed count as created.</summary>
    BelieveFailedDocuments,

    /// <summary>Dead letters are not sent to the dead-letter queue.</summary>
    SkipDeadLetter,

    /// <summary>Visibility is never renewed.</summary>
    SkipHeartbeat,

    /// <summary>Deletes are not sent.</summary>
    SkipDelete,

    /// <summary>The source keeps receiving while the worker stops.</summary>
    ReceiveAfterStop,

    /// <summary>Slots that a receive did not fill are not released.</summary>
    LeakSlot,

    /// <summary>Sometimes a free slot wakes no receive loop.</summary>
    LoseWakeUp,

    /// <summary>Files are not flushed.</summary>
    SkipFileSync,

    /// <summary>Folders are not flushed.</summary>
    SkipFolderSync,

    /// <summary>A file takes the name of another one.</summary>
    NameOverObject,

    /// <summary>Unfinished files are deleted at start without being read.</summary>
    DeleteUnfinished,

    /// <summary>Unfinished files are not deleted.</summary>
    LeaveUnfinished,

    /// <summary>Each message of a FIFO queue counts as a group of its own.</summary>
    IgnoreGroups,

    /// <summary>Abandoned messages are visible immediately.</summary>
    SkipDelay,

    /// <summary>A heartbeat with several batches renews the messages of the first in each.</summary>
    RenewFirstBatch,

    /// <summary>Failed entries of a batch count as successful.</summary>
    BelieveFailedEntries,

    /// <summary>Redrive takes a message for sent before SQS has answered.</summary>
    ConfirmUnsent,

    /// <summary>A stop leaves bundles open.</summary>
    KeepBundles,

    /// <summary>Deletes have an empty receipt handle.</summary>
    EmptyHandle,

    /// <summary>The sink throws on a thread of the pool, where nothing catches it.</summary>
    ThrowOnPool,

    /// <summary>The sink blocks its thread for ever. It ends the run, so <c>defects</c> leaves it out.</summary>
    Hang,
}
