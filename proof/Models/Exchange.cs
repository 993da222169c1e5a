using Proof.Simulation;

namespace Proof.Models;

/// <summary>Messages that a sender gives to one process, and what it is told about them.</summary>
internal abstract class Exchange(World world, ProcessTime process)
{
    private bool _isOver;

    public ProcessTime Process => process;

    /// <summary>Called once with the messages that the answer calls stored or dead-lettered.</summary>
    public Action<IReadOnlyCollection<QueuedMessage>> Ended { get; set; } = _ => { };

    protected World World => world;

    protected bool IsOver => _isOver;

    public abstract void Begin();

    /// <summary>Breaks the connection for both sides.</summary>
    public abstract void Break();

    protected void End(IReadOnlyCollection<QueuedMessage> kept)
    {
        if (!_isOver)
        {
            _isOver = true;
            TimeSpan latency = TimeSpan.FromMilliseconds(1 + (world.Random.NextDouble() * 20));
            world.Time.Schedule(latency, () => Ended(kept));
        }
    }

    /// <summary>The messages as lines, with blank ones between them.</summary>
    /// <param name="messages">The messages.</param>
    /// <param name="numbers">Receives the messages by the numbers of their lines.</param>
    protected byte[] WriteLines(QueuedMessage[] messages, Dictionary<int, QueuedMessage> numbers)
    {
        List<byte> lines = [];
        int number = 0;
        foreach (QueuedMessage message in messages)
        {
            if (world.Random.Next(10) == 0)
            {
                // A blank line counts.
                lines.Add((byte)'\n');
                number++;
            }

            lines.AddRange(message.Body);
            lines.Add((byte)'\n');
            numbers.Add(++number, message);
        }

        return [.. lines];
    }

    /// <summary>How long the sender pauses within what it sends.</summary>
    protected TimeSpan Pause(Fault slow)
    {
        if (world.Random.NextDouble() >= world.QueueFaults.Slow)
        {
            return TimeSpan.FromMilliseconds(world.Random.Next(50));
        }

        world.Meets(slow);
        return TimeSpan.FromSeconds(world.Random.Next(1, 60));
    }
}
