namespace Messaging.Files;

/// <summary>The kind of fault that an exception of the file system reports.</summary>
internal enum FileFault
{
    /// <summary>May work later: disk or quota full, too many open files, an I/O error.</summary>
    Transient = 0,

    /// <summary>The worker itself is refused until an operator acts: no permission, read-only, the folder is gone.</summary>
    Refused,

    /// <summary>This name or size can never work here.</summary>
    Rejected,
}
