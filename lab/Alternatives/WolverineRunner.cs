using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Wolverine;
using Wolverine.Runtime;

namespace Lab.Alternatives;

/// <summary>A local queue of Wolverine, buffered in memory: a message is passed by reference, not serialized.</summary>
internal sealed class WolverineRunner : IRunner
{
    private const string Queue = "bodies";

    // Without a limit the whole round would wait in the queue.
    private readonly SemaphoreSlim _space = new(RunnerProcess.Capacity);
    private readonly HandledMessages _handled;
    private readonly IHost _host;

    private WolverineRunner(HandledMessages handled, IHost host)
    {
        _handled = handled;
        _host = host;
    }

    /// <summary>The one runner of this process: the handler that Wolverine compiles is a public static method.</summary>
    public static WolverineRunner? Current { get; private set; }

    public static async Task<WolverineRunner> StartAsync(WorkKind work)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(settings: null);
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.UseWolverine(options =>
        {
            options.Durability.Mode = DurabilityMode.Solo;
            options.Discovery.DisableConventionalDiscovery().IncludeType(typeof(BodyMessageHandler));
            options.LocalQueue(Queue).BufferedInMemory().MaximumParallelMessages(RunnerProcess.InFlight);
            options.PublishMessage<BodyMessage>().ToLocalQueue(Queue);
        });
        IHost host = builder.Build();
        Current = new WolverineRunner(new HandledMessages(work), host);
        await host.StartAsync();
        return Current;
    }

    public async Task RunAsync(byte[] body, int messages)
    {
        Task done = _handled.Expect(messages);
        MessageBus bus = new(_host.Services.GetRequiredService<IWolverineRuntime>());
        for (int i = 0; i < messages; i++)
        {
            await _space.WaitAsync();
            await bus.SendAsync(new BodyMessage(body));
        }

        await done;
    }

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        _host.Dispose();
        _space.Dispose();
    }

    internal async Task HandleAsync(BodyMessage message)
    {
        await _handled.HandleAsync(message.Body);
        _space.Release();
    }
}

/// <summary>The handler of <see cref="WolverineRunner"/>, found by its name.</summary>
public static class BodyMessageHandler
{
    public static Task Handle(BodyMessage message) => WolverineRunner.Current!.HandleAsync(message);
}
