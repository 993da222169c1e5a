using Microsoft.Diagnostics.NETCore.Client;

namespace Harness.Collecting;

/// <summary>What the collecting process does at each point of the measured one; the measured process waits meanwhile.</summary>
internal abstract class EventCollection : IDisposable
{
    // The runtime answers within milliseconds; a machine under load gets more, a port that is dead must not hang the run.
    protected static readonly TimeSpan AnswerLimit = TimeSpan.FromSeconds(30);

    // A session's end sends what is still buffered, and for a trace the names of all methods: seconds, on a loaded machine tens.
    protected static readonly TimeSpan DrainLimit = TimeSpan.FromMinutes(3);

    /// <summary>The runtime stands before its first managed instruction.</summary>
    public virtual Task OnSuspendedAsync(DiagnosticsClient client, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>The measured process's Main has begun.</summary>
    public virtual Task OnRunningAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>The measured span begins next.</summary>
    public abstract Task OnBeginAsync(DiagnosticsClient client, CancellationToken cancellationToken);

    /// <summary>The measured span has ended.</summary>
    public abstract Task<CollectedAllocations> OnEndAsync(CancellationToken cancellationToken);

    public virtual void Dispose()
    {
    }

    protected static async Task<EventPipeSession> StartAsync(
        DiagnosticsClient client, IEnumerable<EventPipeProvider> providers, int bufferMegabytes, bool rundown, bool stacks, CancellationToken cancellationToken)
    {
        EventPipeSessionConfiguration configuration = new(providers, bufferMegabytes, requestRundown: rundown, requestStackwalk: stacks);
        return await client.StartEventPipeSessionAsync(configuration, cancellationToken).WaitAsync(AnswerLimit, cancellationToken);
    }

    /// <summary>Ends the session and waits until its reader has seen the stream's end.</summary>
    protected static async Task StopAsync(EventPipeSession session, Task reading, CancellationToken cancellationToken)
    {
        await session.StopAsync(cancellationToken).WaitAsync(DrainLimit, cancellationToken);
        await reading.WaitAsync(DrainLimit, cancellationToken);
    }
}
