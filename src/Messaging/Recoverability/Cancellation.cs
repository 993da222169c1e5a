namespace Messaging.Recoverability;

/// <summary>Why a message's token was cancelled.</summary>
internal enum Cancellation
{
    /// <summary>It was not cancelled.</summary>
    None = 0,

    /// <summary>The message took longer than <c>Intake:MessageTimeout</c>.</summary>
    Timeout,

    /// <summary>The drain has ended: the worker no longer waits for the message.</summary>
    Shutdown,
}
