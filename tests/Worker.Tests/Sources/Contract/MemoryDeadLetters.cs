using System.Collections.Concurrent;
using Messaging.DeadLetters;

namespace Worker.Tests.Sources.Contract;

/// <summary>Dead letters in memory, with failures on demand. Reads the body only after a real wait, to see who gives it back too early.</summary>
internal sealed class MemoryDeadLetters : IDeadLetterStore
{
    private readonly ConcurrentQueue<DeadLettered> _letters = new();
    private readonly ConcurrentQueue<DeadLetter> _records = new();
    private int _failures;

    public IReadOnlyList<DeadLettered> Letters => [.. _letters];

    public IReadOnlyList<DeadLetter> Records => [.. _records];

    /// <summary>When set, a write waits for it.</summary>
    public Task? Gate { get; set; }

    /// <summary>Lets the next writes fail.</summary>
    public void Fail(int times) => Volatile.Write(ref _failures, times);

    public async ValueTask<string> WriteAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        await Task.Yield();
        if (Gate is { } gate)
        {
            await gate.WaitAsync(cancellationToken);
        }

        if (Interlocked.Decrement(ref _failures) >= 0)
        {
            throw new IOException("The disk is full.");
        }

        _records.Enqueue(letter);
        _letters.Enqueue(new DeadLettered(letter.SourceId, letter.Reason, letter.Description, body.ToArray()));
        return $"memory/{letter.SourceId}";
    }
}
