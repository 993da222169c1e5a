using System.Threading.Channels;
using Proof.Simulation;

namespace Proof.Models;

/// <summary>
/// Code in the worker's own process that publishes to its channel. A kill loses what the channel holds, and a stop what it counts as lost;
/// both are published again to the next process.
/// </summary>
internal sealed class Publishers(World world)
{
    // By the process that was asked last; null before the first.
    private readonly Dictionary<QueuedMessage, WorkerProcess?> _waiting = [];
    private readonly List<QueuedMessage> _accepted = [];

    /// <summary>Messages that no process has accepted yet.</summary>
    public int Waiting => _waiting.Count;

    public required Func<QueuedMessage, bool> IsKept { get; init; }

    /// <summary>The running process; null while there is none.</summary>
    public required Func<WorkerProcess?> Find { get; init; }

    public void Send(QueuedMessage message)
    {
        _waiting.Add(message, null);
        Publish(message);
    }

    /// <summary>Called when a process has ended; it had accepted at most <paramref name="mayBeLost"/> messages that are not kept.</summary>
    public void Ended(WorkerProcess process, long mayBeLost)
    {
        if (process.Publisher is null)
        {
            return;
        }

        QueuedMessage[] lost = [.. _accepted.Where(message => !IsKept(message))];
        if (lost.Length > mayBeLost)
        {
            world.Fail($"{lost.Length} messages of the channel are neither stored nor a dead letter; {mayBeLost} may be");
        }

        _accepted.Clear();
        foreach (QueuedMessage message in _waiting.Where(waiting => waiting.Value == process).Select(waiting => waiting.Key).Concat(lost).ToArray())
        {
            PublishAgain(message);
        }
    }

    private async void Publish(QueuedMessage message)
    {
        if (Find() is not { Publisher: { } publisher } process)
        {
            PublishAgain(message);
            return;
        }

        world.Trace("publish", message.Id);
        _waiting[message] = process;
        bool isAccepted = true;
        try
        {
            await publisher.PublishAsync(message.Body, message.Id);
        }
        catch (ChannelClosedException)
        {
            isAccepted = false;
        }

        if (_waiting.GetValueOrDefault(message) != process)
        {
            // The process was killed while the channel was full.
            return;
        }

        if (isAccepted)
        {
            world.Trace("accepted", message.Id);
            _waiting.Remove(message);
            _accepted.Add(message);
        }
        else
        {
            PublishAgain(message);
        }
    }

    private void PublishAgain(QueuedMessage message)
    {
        _waiting[message] = null;
        world.Time.Schedule(TimeSpan.FromSeconds(0.2 + world.Random.NextDouble()), () => Publish(message));
    }
}
