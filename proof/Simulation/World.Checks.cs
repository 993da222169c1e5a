using System.Text;
using Proof.Models;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Sources.InMemory;
using Quayside.Messaging.Storage;

namespace Proof.Simulation;

// What must hold while a world runs, and at its end.
internal sealed partial class World
{
    /// <summary>In a FIFO queue a message is handed in only when those before it in its group are kept, or are in the queue once more.</summary>
    public void CheckOrder(int number)
    {
        if (Queue.Before(number).FirstOrDefault(before => !IsKept(before) && !Queue.HoldsCopy(before)) is { } overtaken)
        {
            Fail($"message {number} was handed in before message {overtaken.Number} of its group, which is neither stored nor a dead letter");
        }
    }

    private void CheckAtRest()
    {
        foreach (WorkerProcess? worker in _workers)
        {
            worker?.CheckAtRest();
        }
    }

    private void CheckGivenUp(QueuedMessage message)
    {
        if (!IsKept(message))
        {
            Fail($"message {message.Number} was given up by its sender and is neither stored nor a dead letter: {Encoding.UTF8.GetString(message.Body)}");
        }
    }

    /// <summary>A message of SQS or a dead letter, of which redrive may have sent a copy to the queue.</summary>
    private void CheckDeleted(QueuedMessage message)
    {
        if (!Queue.Holds(message.Body))
        {
            CheckGivenUp(message);
        }
    }

    private void CheckReceived(QueuedMessage message)
    {
        if (message.Deliveries > _plan.MaxDeliveries && !Work.IsRepeated(message))
        {
            Fail($"message {message.Number} was delivered {message.Deliveries} times although nothing but the store failed");
        }
    }

    private void CheckEnd()
    {
        foreach (QueuedMessage message in _sent.Where(message => !IsKept(message)))
        {
            Fail($"message {message.Number} is lost: {Encoding.UTF8.GetString(message.Body)}");
        }

        if (Disk.FindLeftover() is { } leftover)
        {
            Fail($"the unfinished file {leftover} was left by a process that has ended in order");
        }

        if (Work.FindForeign() is { } foreign)
        {
            Fail(foreign);
        }

        foreach ((DeadLetter? letter, byte[] body) in Dead)
        {
            CheckDead(letter, body);
        }
    }

    private void CheckDead(DeadLetter? letter, byte[] body)
    {
        QueuedMessage? message = _sent.Find(message => message.Body.AsSpan().SequenceEqual(body));
        if (message is null)
        {
            if (!Work.IsPart(letter, body))
            {
                Fail($"a dead letter is not a message: {Encoding.UTF8.GetString(body)}");
            }
        }
        else if (letter?.Reason is not (InMemoryLog.UnprocessedReason or UnfinishedDeadLetters.Reason) && !Work.IsPoison(message))
        {
            Fail($"message {message.Number} is a dead letter although it is valid");
        }
    }

    private bool IsKept(QueuedMessage message) =>
        Work.IsDone(message) || Dead.Any(dead => dead.Letter is not { IsPart: true } && dead.Body.AsSpan().SequenceEqual(message.Body));
}
