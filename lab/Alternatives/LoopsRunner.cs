using System.Threading.Channels;

namespace Lab.Alternatives;

/// <summary>A bounded channel and loops that read it: what a developer writes first.</summary>
internal sealed class LoopsRunner : IRunner
{
    private readonly Channel<byte[]> _channel = Channel.CreateBounded<byte[]>(RunnerProcess.Capacity);
    private readonly HandledMessages _handled;
    private readonly Task _loops;

    public LoopsRunner(WorkKind work, int loops)
    {
        _handled = new HandledMessages(work);
        _loops = Task.WhenAll(Enumerable.Range(0, loops).Select(_ => Task.Run(ReadAsync)));
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
        await _loops;
    }

    private async Task ReadAsync()
    {
        while (await _channel.Reader.WaitToReadAsync())
        {
            while (_channel.Reader.TryRead(out byte[]? body))
            {
                await _handled.HandleAsync(body);
            }
        }
    }
}
