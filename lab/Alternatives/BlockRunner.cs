using System.Threading.Tasks.Dataflow;

namespace Lab.Alternatives;

/// <summary>TPL Dataflow's ActionBlock.</summary>
internal sealed class BlockRunner : IRunner
{
    private readonly HandledMessages _handled;
    private readonly ActionBlock<byte[]> _block;

    public BlockRunner(WorkKind work)
    {
        _handled = new HandledMessages(work);
        ExecutionDataflowBlockOptions options = new() { MaxDegreeOfParallelism = RunnerProcess.InFlight, BoundedCapacity = RunnerProcess.Capacity };

        // A handler that never suspends needs no task per message.
        _block = work == WorkKind.Suspending
            ? new ActionBlock<byte[]>(body => _handled.HandleAsync(body).AsTask(), options)
            : new ActionBlock<byte[]>(body => _handled.HandleAsync(body).GetAwaiter().GetResult(), options);
    }

    public async Task RunAsync(byte[] body, int messages)
    {
        Task done = _handled.Expect(messages);
        for (int i = 0; i < messages; i++)
        {
            await _block.SendAsync(body);
        }

        await done;
    }

    public async ValueTask DisposeAsync()
    {
        _block.Complete();
        await _block.Completion;
    }
}
