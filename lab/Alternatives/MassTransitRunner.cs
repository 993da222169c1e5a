using MassTransit;

namespace Lab.Alternatives;

/// <summary>MassTransit's in-memory transport, whose messages are serialized as JSON.</summary>
internal sealed class MassTransitRunner : IRunner
{
    // Without a limit the whole round would wait in the transport's queue.
    private readonly SemaphoreSlim _space = new(RunnerProcess.Capacity);
    private readonly HandledMessages _handled;
    private readonly IBusControl _bus;

    public MassTransitRunner(WorkKind work)
    {
        _handled = new HandledMessages(work);
        _bus = Bus.Factory.CreateUsingInMemory(bus => bus.ReceiveEndpoint("bodies", endpoint =>
        {
            endpoint.PrefetchCount = RunnerProcess.InFlight;
            endpoint.ConcurrentMessageLimit = RunnerProcess.InFlight;
            endpoint.Handler<BodyMessage>(HandleAsync);
        }));
        _bus.Start();
    }

    public async Task RunAsync(byte[] body, int messages)
    {
        Task done = _handled.Expect(messages);
        ISendEndpoint endpoint = await _bus.GetSendEndpoint(new Uri("queue:bodies"));
        for (int i = 0; i < messages; i++)
        {
            await _space.WaitAsync();
            await endpoint.Send(new BodyMessage(body));
        }

        await done;
    }

    public async ValueTask DisposeAsync()
    {
        await _bus.StopAsync();
        _space.Dispose();
    }

    private async Task HandleAsync(ConsumeContext<BodyMessage> context)
    {
        await _handled.HandleAsync(context.Message.Body);
        _space.Release();
    }
}

/// <summary>A message of <see cref="MassTransitRunner"/>.</summary>
public sealed record BodyMessage(byte[] Body);
