using System.Text.Json;
using Azure.Messaging.ServiceBus;
using Integration.Tests.Faults;
using Integration.Tests.Servers;
using Integration.Tests.Worker;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Sources;

namespace Integration.Tests.AzureServiceBus;

/// <summary>The source as the daemon configures it, with the official client, over a queue of its own.</summary>
internal sealed class ServiceBusSourceHarness : SourceHarness
{
    private const int Slots = 64;

    private readonly List<IAsyncDisposable> _crashed = [];
    private TcpFaultProxy? _proxy;
    private IMessageSource _source;
    private bool _isInterrupted;

    private readonly bool _sessions;

    private ServiceBusSourceHarness(ServiceBusQueue queue, bool sessions) : base(Slots)
    {
        Queue = queue;
        _sessions = sessions;
        _source = Open();
    }

    public ServiceBusQueue Queue { get; }

    public RecordingLog Log { get; } = new();

    public override IMessageSource Source => _source;

    /// <summary>A message may have 256 KiB with its properties.</summary>
    public override int MaxBodyBytes => 200 * 1024;

    /// <summary>A real broker's connections are encrypted, and locks last there; so no test cuts them.</summary>
    public override bool RedeliversAfterCrash => Queue.Emulator is not null;

    /// <summary>As <see cref="RedeliversAfterCrash"/>.</summary>
    public override bool HoldsConnections => Queue.Emulator is not null;

    public override TimeSpan AbandonDelay => TimeSpan.FromSeconds(2);

    public static async Task<ServiceBusSourceHarness> CreateAsync(ServiceBusServer server) => new(await server.RequireQueueAsync(), sessions: false);

    /// <summary>Over a queue of an emulator that requires sessions. A message that is published without one gets its own.</summary>
    public static async Task<ServiceBusSourceHarness> CreateWithSessionsAsync(ServiceBusEmulator emulator, string lockDuration = "PT1M") =>
        new(await ServiceBusQueue.CreateAsync(emulator, new { RequiresSession = true, LockDuration = lockDuration }), sessions: true);

    public override Task PublishAsync(byte[] body, string? id = null)
    {
        ServiceBusMessage message = new(body) { SessionId = _sessions ? Guid.NewGuid().ToString("n") : null };
        if (id is not null)
        {
            message.MessageId = id;
        }

        return Queue.SendAsync(message);
    }

    /// <summary>Cuts the source off, as the end of its process does; the locks of its messages end immediately.</summary>
    public override async Task ReopenAsync()
    {
        TcpFaultProxy proxy = _proxy!;
        await CrashAsync(() =>
        {
            proxy.Set(new TcpFault.Refuse());
            return Task.CompletedTask;
        });
        _crashed.Add(_source);
        _crashed.Add(proxy);
        // Until the broker has noticed, it would lock the messages for the source that is gone.
        ServiceBusEmulator emulator = Queue.Emulator!;
        await Eventually.BecomesTrueAsync(
            async () => (await emulator.DescribeAsync(Queue.Name))["credit"]!.AsArray().Count == 0, "the broker knows that the source is gone");
        await emulator.ExpireLocksAsync(Queue.Name);
        _source = Open();
    }

    public override Task InterruptAsync()
    {
        _proxy!.ResetAll();
        _isInterrupted = true;
        return Task.CompletedTask;
    }

    /// <summary>After an interruption the locks of what could not be settled end with each step, and not after their minute.</summary>
    public override async Task AdvanceAsync(TimeSpan time)
    {
        await base.AdvanceAsync(time);
        if (_isInterrupted && !_sessions)
        {
            await Queue.Emulator!.ExpireLocksAsync(Queue.Name);
        }
    }

    public override async Task<IReadOnlyList<DeadLetteredMessage>> DeadLettersAsync(int expected) =>
    [
        .. (await Queue.WaitForDeadLettersAsync(expected)).Select(letter => new DeadLetteredMessage(
            JsonDocument.Parse((string)letter.ApplicationProperties["DeadLetterDetails"]).RootElement.GetProperty("sourceId").GetString()!,
            letter.DeadLetterReason,
            letter.DeadLetterErrorDescription,
            letter.Body.ToArray())),
    ];

    public override Task WaitUntilEmptyAsync() => Queue.WaitUntilEmptyAsync();

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        foreach (IAsyncDisposable crashed in _crashed)
        {
            await crashed.DisposeAsync();
        }

        if (_proxy is not null)
        {
            await _proxy.DisposeAsync();
        }

        await Queue.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    private IMessageSource Open()
    {
        string connectionString = Queue.ConnectionString;
        if (Queue.Emulator is { } emulator)
        {
            _proxy = new TcpFaultProxy(new Uri($"http://127.0.0.1:{emulator.Port}"));
            connectionString = ServiceBusEmulator.OverPort(connectionString, _proxy.Url.Port);
        }

        IConfiguration configuration = new ConfigurationBuilder()
            .AddInMemoryCollection(new Dictionary<string, string?>(StringComparer.Ordinal)
            {
                ["Routes:orders:Source"] = "ServiceBus",
                ["Routes:orders:Sink"] = "Memory",
                ["Sinks:Memory:AllowLoss"] = "true",
                ["Intake:Concurrency"] = $"{Slots}",
                ["Sources:ServiceBus:ConnectionString"] = connectionString,
                ["Sources:ServiceBus:Queue"] = Queue.Name,
                ["Sources:ServiceBus:MaxConcurrentCalls"] = $"{Slots}",
                ["Sources:ServiceBus:Sessions"] = $"{_sessions}",
            })
            .Build();
        SourcePlan plan = new WorkerDefinition(global::Quayside.Worker.Program.AddFeatures)
            .Plan(configuration)
            .Checked().Routes.ShouldHaveSingleItem().Sources.ShouldHaveSingleItem();
        ServiceProvider none = new ServiceCollection().BuildServiceProvider();
        return plan.Create(new SourceServices { Route = "orders", Services = none, DeadLetters = new MemoryDeadLetters(), Loggers = Log, Concurrency = Slots });
    }
}
