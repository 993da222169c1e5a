using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Settlements;

namespace Proof.Simulation;

/// <summary>A sink of foreign code: now and then it breaks the contract of <see cref="IObjectSink"/>, before or after it has stored.</summary>
internal sealed class ForeignSink(World world, IObjectSink sink, TimeProvider time) : IObjectSink
{
    // Longer than Intake:MessageTimeout and the time after which the route counts as stuck, shorter than the wait for the last calls.
    private static readonly TimeSpan Hang = TimeSpan.FromSeconds(110);

    public string? Problem => sink.Problem;

    public Task CheckAsync(CancellationToken cancellationToken) => sink.CheckAsync(cancellationToken);

    public string Locate(string key) => sink.Locate(key);

    public void StopWaiting() => sink.StopWaiting();

    public ValueTask DisposeAsync() => sink.DisposeAsync();

    public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        if (world.Random.NextDouble() >= world.SinkFaults)
        {
            return sink.StoreAsync(key, body, cancellationToken);
        }

        switch (world.Random.Next(9))
        {
            case 0:
                world.Meets(Fault.SinkThrows);
                throw new InvalidOperationException("The sink throws synchronously.");
            case 1:
                world.Meets(Fault.SinkThrows);
                return ThrowAfterStoreAsync(key, body, new InvalidOperationException("The sink throws after it has stored."), cancellationToken);
            case 2:
                world.Meets(Fault.SinkThrows);
                return ValueTask.FromException<SinkResult>(new BrokenException());
            case 3:
                world.Meets(Fault.SinkThrows);
                return ThrowAfterStoreAsync(key, body, new OperationCanceledException("The sink was not cancelled."), cancellationToken);
            case 4 or 5 or 6:
                world.Meets(Fault.SinkThrows);
                throw new TransientException("The sink reports a transient fault as an exception.");
            case 7:
                world.Meets(Fault.SinkHangs);
                return StoreAfterAsync(Task.Delay(Timeout.InfiniteTimeSpan, time, cancellationToken), key, body, cancellationToken);
            default:
                world.Meets(Fault.SinkHangs);
                return StoreAfterAsync(Task.Delay(Hang, time, CancellationToken.None), key, body, cancellationToken);
        }
    }

    private async ValueTask<SinkResult> ThrowAfterStoreAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, Exception exception, CancellationToken cancellationToken)
    {
        await sink.StoreAsync(key, body, cancellationToken);
        throw exception;
    }

    private async ValueTask<SinkResult> StoreAfterAsync(Task wait, ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        await wait;
        return await sink.StoreAsync(key, body, cancellationToken);
    }

    private sealed class BrokenException : Exception
    {
        public override string Message => throw new InvalidOperationException("The exception's text throws.");
    }
}
