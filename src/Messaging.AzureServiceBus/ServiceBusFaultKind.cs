namespace Messaging.AzureServiceBus;

/// <summary>What a failure of Service Bus means for the worker.</summary>
internal enum ServiceBusFaultKind
{
    /// <summary>None of the others, or not set; a retry will not help.</summary>
    Other = 0,

    /// <summary>Temporary: throttled, timed out or unreachable.</summary>
    Transient,

    /// <summary>The lock ended; the message is redelivered.</summary>
    LockLost,

    /// <summary>The message no longer exists: it was settled elsewhere, or expired.</summary>
    Gone,

    /// <summary>The entity or its dead-letter queue is full, or another quota is used up.</summary>
    QuotaExceeded,

    /// <summary>The message is too large for the entity.</summary>
    TooLarge,

    /// <summary>No such queue, topic or subscription.</summary>
    NotFound,

    /// <summary>The entity is disabled.</summary>
    Disabled,

    /// <summary>The credentials are missing, wrong, or lack the right.</summary>
    Unauthorized,

    /// <summary>The entity requires sessions, and the source was not told to use them.</summary>
    SessionsRequired,

    /// <summary>The entity has no sessions, and the source was told to use them.</summary>
    NoSessions,

    /// <summary>The library cannot convert a message that the broker delivered; other messages are received.</summary>
    Unreadable,
}
