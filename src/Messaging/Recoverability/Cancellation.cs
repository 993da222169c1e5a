namespace Messaging.Recoverability;

/// <summary>Why a message's token was cancelled.</summary>
internal enum Cancellation
{
    /// <summary>It was not.</summary>
    None = 0,

    /// <summary>The message took longer than <c>Intake:MessageTimeout</c>.</summary>
    Timeout,

    /// <summary>The worker stops and waits no longer.</summary>
    Shutdown,
}
