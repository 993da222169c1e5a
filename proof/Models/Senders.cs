using Proof.Simulation;

namespace Proof.Models;

/// <summary>
/// Programs that send messages over HTTP or TCP, one or several per request, and send each again until the answer says that it is stored or a dead
/// letter.
/// </summary>
internal sealed class Senders(World world, int messagesPerRequest)
{
    private readonly List<Exchange> _open = [];

    // Messages that go out together.
    private readonly List<QueuedMessage> _gathered = [];

    /// <summary>Messages whose sender was not told yet that they are kept.</summary>
    public int Unanswered { get; private set; }

    /// <summary>Called with each message whose sender was told that it is kept.</summary>
    public required Action<QueuedMessage> Answered { get; init; }

    /// <summary>Connects to the worker's process to send the messages; null while none listens.</summary>
    public required Func<QueuedMessage[], Exchange?> Connect { get; init; }

    public void Send(QueuedMessage message)
    {
        Unanswered++;
        _gathered.Add(message);
        if (_gathered.Count == messagesPerRequest)
        {
            SendGathered();
        }
        else if (_gathered.Count == 1)
        {
            world.Time.Schedule(TimeSpan.FromSeconds(world.Random.NextDouble() * 5), SendGathered);
        }
    }

    /// <summary>Breaks the connections of a process that has ended.</summary>
    public void Break(ProcessTime process)
    {
        foreach (Exchange exchange in _open.Where(exchange => exchange.Process == process).ToArray())
        {
            exchange.Break();
        }
    }

    private void SendGathered()
    {
        if (_gathered.Count > 0)
        {
            QueuedMessage[] messages = [.. _gathered];
            _gathered.Clear();
            Send(messages);
        }
    }

    private void Send(QueuedMessage[] messages)
    {
        if (Connect(messages) is not { } exchange)
        {
            SendAgain(messages);
            return;
        }

        string ids = string.Join(' ', messages.Select(message => message.Id));
        world.Trace("send", ids);
        _open.Add(exchange);
        exchange.Ended = kept =>
        {
            _open.Remove(exchange);
            world.Trace("answered", string.Join(' ', kept.Select(message => message.Id)));
            Unanswered -= kept.Count;
            foreach (QueuedMessage message in kept)
            {
                Answered(message);
            }

            SendAgain([.. messages.Except(kept)]);
        };
        exchange.Begin();
    }

    private void SendAgain(QueuedMessage[] messages)
    {
        if (messages.Length > 0)
        {
            world.Time.Schedule(TimeSpan.FromSeconds(0.2 + (world.Random.NextDouble() * 5)), () => Send(messages));
        }
    }
}
