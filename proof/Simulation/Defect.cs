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
}
