using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.RabbitMq;
using Quayside.Messaging.Sources;

namespace Messaging.Tests.RabbitMq;

/// <summary>The RabbitMQ source over a <see cref="FakeRabbitMq"/>, and a clock that the test moves.</summary>
internal sealed class FakeRabbitMqHarness : SourceHarness
{
    public const string Queue = "orders";
    public const string Letters = $"{Queue}.dead-letters";

    private readonly int _slots;
    private readonly int? _prefetch;
    private FakeRabbitMqOptions? _options;
    private IMessageSource _source;

    public FakeRabbitMqHarness(FakeRabbitMq? broker = null, string type = "quorum", int slots = 64, int? prefetch = null)
        : base(slots)
    {
        Broker = broker ?? new FakeRabbitMq();
        if (broker is null)
        {
            Broker.Declare(Queue, type);
        }

        Broker.Declare(Letters);
        _slots = slots;
        _prefetch = prefetch;
        _source = Open();
    }

    public FakeRabbitMq Broker { get; }

    public ManualTimeProvider Time { get; } = new();

    public RecordingLog Log { get; } = new();

    public override IMessageSource Source => _source;

    public override bool HoldsConnections => true;

    /// <summary>A harness that receives.</summary>
    public static async Task<FakeRabbitMqHarness> ReceivingAsync(FakeRabbitMq? broker = null, string type = "quorum", int slots = 64)
    {
        FakeRabbitMqHarness harness = new(broker, type, slots);
        await harness.StartAsync();
        return harness;
    }

    public override Task PublishAsync(byte[] body, string? id = null)
    {
        Broker.Publish(Queue, id ?? string.Empty, body);
        return Task.CompletedTask;
    }

    /// <summary>Publishes messages and waits until the intake has them.</summary>
    public async Task<Delivery[]> ReceiveAsync(params string[] ids)
    {
        List<Delivery> deliveries = [];
        foreach (string id in ids)
        {
            Broker.Publish(Queue, id);
            deliveries.Add(await Intake.NextAsync());
        }

        return [.. deliveries];
    }

    public override Task AdvanceAsync(TimeSpan time)
    {
        Time.Advance(time);
        return Task.CompletedTask;
    }

    /// <summary>Moves the clock until it is true; a timer that it depends on may not be armed yet.</summary>
    public async Task AdvanceUntilAsync(Func<bool> condition, string what)
    {
        for (int attempt = 0; !condition(); attempt++)
        {
            attempt.ShouldBeLessThan(20_000, what);
            Time.Advance(TimeSpan.FromMilliseconds(10));
            await Task.Delay(1);
        }
    }

    public override Task InterruptAsync() => Broker.BreakAsync();

    public override async Task ReopenAsync()
    {
        await CrashAsync(_options!.KillAsync);
        _source = Open();
    }

    public override async Task<IReadOnlyList<DeadLetteredMessage>> DeadLettersAsync(int expected)
    {
        await Broker.UntilAsync(broker => broker.Ready(Letters).Count >= expected);
        return
        [
            .. Broker.Ready(Letters).Select(static letter => new DeadLetteredMessage(
                letter.Id.Length > 0 ? letter.Id : IdOf(letter.Body), RabbitMqHeaders.Find(letter.Properties, RabbitMqHeaders.Reason)!,
                RabbitMqHeaders.Find(letter.Properties, RabbitMqHeaders.Description)!, letter.Body)),
        ];
    }

    public override Task WaitUntilEmptyAsync() =>
        AdvanceUntilAsync(() => Broker.Unacknowledged == 0 && Broker.Ready(Queue).Count == 0, "The queue did not become empty.");

    private static string IdOf(byte[] body)
    {
        byte[] id = new byte[ContentId.Length];
        ContentId.Write(body, id);
        return Encoding.UTF8.GetString(id);
    }

    private RabbitMqMessageSource Open()
    {
        _options = new FakeRabbitMqOptions(Broker) { Queue = Queue, Prefetch = _prefetch };
        ServiceProvider none = new ServiceCollection().BuildServiceProvider();
        return new RabbitMqMessageSource(_options, new SourceServices
        {
            Route = "archive",
            Services = none,
            DeadLetters = new MemoryDeadLetters(),
            Loggers = Log,
            Time = Time,
            Concurrency = _slots,
        });
    }
}
