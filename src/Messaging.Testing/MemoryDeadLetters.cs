using System.Collections.Concurrent;
using Quayside.Messaging.DeadLetters;

namespace Quayside.Messaging.Testing;

/// <summary>
/// Dead letters in memory, with failures on demand. It reads the body only after it has left the caller's thread, which exposes a source
/// that reuses its buffer too early. Threads: any.
/// </summary>
public sealed class MemoryDeadLetters : IDeadLetterStore
{
    private readonly ConcurrentQueue<DeadLetteredMessage> _messages = new();
    private readonly ConcurrentQueue<DeadLetter> _records = new();
    private int _failures;
    private int _waiting;

    /// <summary>The messages, in the order in which they were written.</summary>
    public IReadOnlyList<DeadLetteredMessage> Messages => [.. _messages];

    /// <summary>The same, as they were written: with attempts, times and attributes.</summary>
    public IReadOnlyList<DeadLetter> Records => [.. _records];

    /// <summary>When set, each write waits for it.</summary>
    public Task? Gate { get; set; }

    /// <summary>Writes that wait for the gate.</summary>
    public int Waiting => Volatile.Read(ref _waiting);

    /// <summary>Makes the next writes fail with an <see cref="IOException"/>.</summary>
    /// <param name="times">How many writes.</param>
    public void Fail(int times) => Volatile.Write(ref _failures, times);

    /// <inheritdoc/>
    public async ValueTask<string> WriteAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(letter);
        await Task.Yield();
        if (Gate is { } gate)
        {
            Interlocked.Increment(ref _waiting);
            try
            {
                await gate.WaitAsync(cancellationToken);
            }
            finally
            {
                Interlocked.Decrement(ref _waiting);
            }
        }

        if (Interlocked.Decrement(ref _failures) >= 0)
        {
            throw new IOException("The disk is full.");
        }

        _records.Enqueue(letter);
        _messages.Enqueue(new DeadLetteredMessage(letter.SourceId, letter.Reason, letter.Description, body.ToArray()));
        return $"memory/{letter.SourceId}";
    }
}

/// <summary>A message found among the dead letters.</summary>
/// <param name="Id">The source's id of the message.</param>
/// <param name="Reason">The reason code, such as <c>malformed-json</c>.</param>
/// <param name="Description">What happened, for people.</param>
/// <param name="Body">The body, unchanged.</param>
public sealed record DeadLetteredMessage(string Id, string Reason, string Description, byte[] Body);
