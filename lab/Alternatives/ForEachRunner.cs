using System.Threading.Channels;

namespace Lab.Alternatives;

/// <summary>Parallel.ForEachAsync over a bounded channel.</summary>
internal sealed class ForEachRunner : IRunner
{
    private readonly Channel<byte[]> _channel = Channel.CreateBounded<byte[]>(RunnerProcess.Capacity);
    private readonly HandledMessages _handled;
    private readonly Task _reading;

    public ForEachRunner(WorkKind work)
    {
        _handled = new HandledMessages(work);
        _reading = Parallel.ForEachAsync(
            _channel.Reader.ReadAllAsync(),
            new ParallelOptions { MaxDegreeOfParallelism = RunnerProcess.InFlight },
            (body, _) => _handled.HandleAsync(body));
    }

    public async Task RunAsync(byte[] body, int messages)
    {
        Task done = _handled.Expect(messages);
        for (int i = 0; i < messages; i++)
        {
            await _channel.Writer.WriteAsync(body);
        }

        await done;
    }

    public async ValueTask DisposeAsync()
    {
        _channel.Writer.Complete();
        await _reading;
    }
}
