using Microsoft.Diagnostics.NETCore.Client;

namespace Harness.Collecting;

/// <summary>The actions of the collecting process at each point of the measured one, which waits for them.</summary>
internal abstract class EventCollection : IDisposable
{
    // The runtime answers within milliseconds. The limit allows for a machine under load, and a dead port must not hang the run.
    protected static readonly TimeSpan AnswerLimit = TimeSpan.FromSeconds(30);

    // Ending a session sends the buffered events, and for a trace the names of all methods: this takes seconds, or tens of seconds under load.
    protected static readonly TimeSpan DrainLimit = TimeSpan.FromMinutes(3);

    /// <summary>Called before the runtime executes managed code.</summary>
    public virtual Task OnSuspendedAsync(DiagnosticsClient client, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Called when the measured process has entered Main.</summary>
    public virtual Task OnRunningAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Called before the measured span.</summary>
    public abstract Task OnBeginAsync(DiagnosticsClient client, CancellationToken cancellationToken);

    /// <summary>Called after the measured span.</summary>
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

    /// <summary>Ends the session and waits until its reader has reached the end of the stream.</summary>
    protected static async Task StopAsync(EventPipeSession session, Task reading, CancellationToken cancellationToken)
    {
        await session.StopAsync(cancellationToken).WaitAsync(DrainLimit, cancellationToken);
        await reading.WaitAsync(DrainLimit, cancellationToken);
    }
}
