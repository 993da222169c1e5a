using Rebus.Activation;
using Rebus.Bus;
using Rebus.Config;
using Rebus.Transport.InMem;

namespace Lab.Alternatives;

/// <summary>Rebus over its in-memory transport, whose messages are serialized as JSON, with a worker thread per core.</summary>
internal sealed class RebusRunner : IRunner
{
    // Without a limit the whole round would wait in the transport's queue.
    private readonly SemaphoreSlim _space = new(RunnerProcess.Capacity);
    private readonly BuiltinHandlerActivator _activator = new();
    private readonly HandledMessages _handled;
    private readonly IBus _bus;

    public RebusRunner(WorkKind work)
    {
        _handled = new HandledMessages(work);
        _activator.Handle<BodyMessage>(HandleAsync);
        _bus = Configure.With(_activator)
            .Logging(logging => logging.None())
            .Transport(transport => transport.UseInMemoryTransport(new InMemNetwork(), "bodies"))
            .Options(options =>
            {
                options.SetNumberOfWorkers(Environment.ProcessorCount);
                options.SetMaxParallelism(RunnerProcess.InFlight);
            })
            .Start();
    }

    public async Task RunAsync(byte[] body, int messages)
    {
        Task done = _handled.Expect(messages);
        for (int i = 0; i < messages; i++)
        {
            await _space.WaitAsync();
            await _bus.SendLocal(new BodyMessage(body));
        }

        await done;
    }

    public ValueTask DisposeAsync()
    {
        _activator.Dispose();
        _space.Dispose();
        return default;
    }

    private async Task HandleAsync(BodyMessage message)
    {
        await _handled.HandleAsync(message.Body);
        _space.Release();
    }
}
