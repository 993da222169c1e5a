namespace Messaging.Sources;

/// <summary>What completing a message does outside of this process: how much is lost when the sink did not keep it after all.</summary>
public enum CompletionEffect
{
    /// <summary>The message is deleted from the queue that holds it.</summary>
    Deletes = 0,

    /// <summary>The sender is told that the message is stored, and need not send it again.</summary>
    Acknowledges,

    /// <summary>Nothing: no other process waits for it.</summary>
    None,
}
