using Proof.Models;
using Quayside.Messaging.DeadLetters;

namespace Proof.Simulation;

/// <summary>What the messages of a world are, and what has to come of them.</summary>
internal abstract class Work
{
    /// <summary>Draws a message.</summary>
    /// <param name="number">Its number, from 0.</param>
    public abstract byte[] Create(int number);

    /// <summary>True for a message that no handler can read.</summary>
    public abstract bool IsMalformed(byte[] body);

    /// <summary>True when everything that has to come of the message is kept.</summary>
    public abstract bool IsDone(QueuedMessage message);

    /// <summary>True when the message has to become a dead letter.</summary>
    public abstract bool IsPoison(QueuedMessage message);

    /// <summary>True for a message that is delivered several times by design.</summary>
    public virtual bool IsRepeated(QueuedMessage message) => false;

    /// <summary>True for a dead letter that is no message, and does not have to be one.</summary>
    public abstract bool IsPart(DeadLetter? letter, byte[] body);

    /// <summary>What is stored and must not be; null for nothing.</summary>
    public abstract string? FindForeign();
}
