namespace Messaging.Sources;

/// <summary>The effect of completing a message outside this process, and so what is lost if the sink does not keep it.</summary>
public enum CompletionEffect
{
    /// <summary>The message is deleted from its queue.</summary>
    Deletes = 0,

    /// <summary>The sender gets an answer that the message is stored, and need not send it again.</summary>
    Acknowledges,

    /// <summary>Nothing: no other process waits for it.</summary>
    None,
}
