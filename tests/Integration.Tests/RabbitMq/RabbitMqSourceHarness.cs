using System.Text;
using Integration.Tests.Faults;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Sources;
using RabbitMQ.Client;

namespace Integration.Tests.RabbitMq;

/// <summary>The source as the daemon configures it, with a queue of its own on a real broker.</summary>
internal sealed class RabbitMqSourceHarness : SourceHarness
{
    public const int Slots = 64;

    private readonly string[] _settings;
    private readonly TcpFaultProxy _proxy;
    private IMessageSource _source;
    private int _published;

    private RabbitMqSourceHarness(RabbitMqQueue queue, string[] settings) : base(Slots)
    {
        Queue = queue;
        _settings = settings;
        _proxy = new TcpFaultProxy(new Uri($"http://{queue.Address.Authority}"));
        _source = Open();
    }

    public RabbitMqQueue Queue { get; }

    public RecordingLog Log { get; } = new();

    public override IMessageSource Source => _source;

    public override bool HoldsConnections => true;

    /// <summary>The queue is real, so the delay passes in real time: long enough for a busy machine.</summary>
    public override TimeSpan AbandonDelay => TimeSpan.FromSeconds(2);

    public static async Task<RabbitMqSourceHarness> CreateAsync(Uri address, string type = "quorum", params string[] settings) =>
        new(await RabbitMqQueue.CreateAsync(address, type), settings);

    public override Task PublishAsync(byte[] body, string? id = null)
    {
        Interlocked.Increment(ref _published);
        return Queue.SendAsync(body, id);
    }

    public Task PublishAsync(byte[] body, BasicProperties properties)
    {
        Interlocked.Increment(ref _published);
        return Queue.SendAsync(body, properties.MessageId, properties);
    }

    /// <summary>Disposing the source closes its connection; the broker requeues what was not acknowledged, as when a process dies.</summary>
    public override async Task ReopenAsync()
    {
        // The settled messages are not delivered again.
        _published = Intake.Unsettled;
        await CrashAsync();
        _source = Open();
    }

    /// <summary>A second source over the same queue, which the caller disposes.</summary>
    public IMessageSource OpenAnother() => Open();

    public override Task InterruptAsync()
    {
        _proxy.ResetAll();
        return Task.CompletedTask;
    }

    public override async Task<IReadOnlyList<DeadLetteredMessage>> DeadLettersAsync(int expected) =>
    [
        .. (await Queue.TakeDeadLettersAsync(expected)).Select(letter => new DeadLetteredMessage(
            letter.BasicProperties.MessageId ?? IdOf(letter.Body.Span),
            RabbitMqQueue.Header(letter, "dead-letter-reason")!,
            RabbitMqQueue.Header(letter, "dead-letter-description")!,
            letter.Body.ToArray())),
    ];

    /// <summary>The queue's count excludes messages that were delivered and not yet acknowledged, so the deliveries are counted too.</summary>
    public override Task WaitUntilEmptyAsync() =>
        Queue.WaitUntilEmptyAsync(() => Task.FromResult(Intake.Accepted >= _published && Intake.Unsettled == 0));

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        await _proxy.DisposeAsync();
        await Queue.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    private static string IdOf(ReadOnlySpan<byte> body)
    {
        byte[] id = new byte[ContentId.Length];
        ContentId.Write(body, id);
        return Encoding.UTF8.GetString(id);
    }

    private IMessageSource Open()
    {
        IConfiguration configuration = new ConfigurationBuilder()
            .AddInMemoryCollection(new Dictionary<string, string?>(StringComparer.Ordinal)
            {
                ["Routes:orders:Source"] = "RabbitMq",
                ["Routes:orders:Sink"] = "Memory",
                ["Sinks:Memory:AllowLoss"] = "true",
                ["Intake:Concurrency"] = $"{Slots}",
                ["Sources:RabbitMq:Uri"] = $"amqp://{Queue.Address.UserInfo}@{_proxy.Url.Authority}/",
                ["Sources:RabbitMq:Queue"] = Queue.Name,
            })
            .AddCommandLine(_settings)
            .Build();
        SourcePlan plan = new WorkerDefinition(global::Quayside.Worker.Program.AddFeatures)
            .Plan(configuration)
            .Checked().Routes.ShouldHaveSingleItem().Sources.ShouldHaveSingleItem();
        ServiceProvider none = new ServiceCollection().BuildServiceProvider();
        return plan.Create(new SourceServices { Route = "orders", Services = none, DeadLetters = new MemoryDeadLetters(), Loggers = Log, Concurrency = Slots });
    }
}
