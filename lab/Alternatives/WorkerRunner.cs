using System.Globalization;
using Benchmarks.Handlers;
using Benchmarks.Keys;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Pipeline.Settlements;

namespace Lab.Alternatives;

/// <summary>The worker: a channel route with the archive handler and a sink that keeps nothing, or with a typed handler.</summary>
internal sealed class WorkerRunner : IRunner
{
    private const string Route = "default";

    private readonly IHost _host;
    private readonly ChannelMessages _messages;

    private WorkerRunner(IHost host)
    {
        _host = host;
        _messages = new ChannelMessages(host.Services);
    }

    public static async Task<WorkerRunner> StartAsync(WorkKind work)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(settings: null);
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            [$"Routes:{Route}:Source"] = "Channel",
            [$"Routes:{Route}:Handler"] = work switch { WorkKind.Key => "Archive", WorkKind.Suspending => "Suspending", _ => "Looking" },
            [$"Routes:{Route}:Sink"] = work == WorkKind.Key ? "Memory" : null,
            ["Sinks:Memory:Capacity"] = "0",
            ["Sources:Channel:Capacity"] = RunnerProcess.Capacity.ToString(CultureInfo.InvariantCulture),
            ["Intake:Concurrency"] = RunnerProcess.InFlight.ToString(CultureInfo.InvariantCulture),
        });
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.AddMessageWorker(worker => worker
            .AddArchive()
            .AddHandler<KeyMessage, LookingHandler>("Looking", KeyMessageContext.Default.KeyMessage)
            .AddHandler<KeyMessage, SuspendingHandler>("Suspending", KeyMessageContext.Default.KeyMessage));
        IHost host = builder.Build();
        await host.StartAsync();
        return new WorkerRunner(host);
    }

    public Task RunAsync(byte[] body, int messages) => _messages.SendAsync(body, messages);

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        _host.Dispose();
    }

    private sealed class SuspendingHandler : IMessageHandler<KeyMessage>
    {
        public async ValueTask<Settlement> HandleAsync(KeyMessage message, MessageInfo info, CancellationToken cancellationToken)
        {
            await Task.Yield();
            return message.MessageId is null ? Settlement.DeadLetter("no-id", "The message has no id.") : Settlement.Complete;
        }
    }
}
