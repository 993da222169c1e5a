using Messaging.Tests.Aws.Sqs.Wire;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Aws.Sqs;

/// <summary>
/// A source on a <see cref="FakeQueue"/>, without a network unless a test connects it. The clock of both (heartbeat, pauses, delays, timeouts, long polls)
/// moves only when the test moves it, and only when everything is at rest.
/// </summary>
internal sealed class SqsRun : SourceHarness
{
    /// <summary>One receive loop.</summary>
    private const int OneLoop = 10;

    private readonly WireClient _wire;
    private readonly SqsMessageSource _source;

    private SqsRun(
        FakeQueue queue, SqsSourceOptions options, SqsWireOptions wire, ManualTimeProvider time, int concurrency, int slots, ILoggerFactory? loggers,
        HttpMessageHandler? handler)
        : base(slots)
    {
        Queue = queue;
        Time = time;
        _wire = new WireClient(queue.Address, wire, time, handler: handler ?? queue.CreateHandler());
        ServiceProvider none = new ServiceCollection().BuildServiceProvider();
        _source = new SqsMessageSource(
            _wire.Client,
            SqsQueueReference.Parse(options.Queue!)!,
            options,
            new SourceServices
            {
                Route = "orders",
                Services = none,
                DeadLetters = new MemoryDeadLetters(),
                Loggers = loggers ?? Log,
                Time = Time,
                Concurrency = concurrency,
            });
    }

    public FakeQueue Queue { get; }

    public ManualTimeProvider Time { get; }

    public RecordingLog Log { get; } = new();

    public override IMessageSource Source => _source;

    public override int OutstandingBuffers => _wire.Buffers.Outstanding;

    /// <summary>Acknowledges without delay unless the options say otherwise.</summary>
    /// <param name="isFifo">A FIFO queue.</param>
    /// <param name="options">The source's options.</param>
    /// <param name="wire">The wire's options.</param>
    /// <param name="concurrency">The concurrency; one receive loop per ten.</param>
    /// <param name="loggers">Where the source logs; null for <see cref="Log"/>.</param>
    /// <param name="handler">The source's connections; null for those to the queue.</param>
    /// <param name="slots">Slots of the intake; null for at least as many as the loops can use.</param>
    public static SqsRun Create(
        bool isFifo = false, SqsSourceOptions? options = null, SqsWireOptions? wire = null, int concurrency = OneLoop, ILoggerFactory? loggers = null,
        HttpMessageHandler? handler = null, int? slots = null)
    {
        ManualTimeProvider time = new();
        FakeQueue queue = new(time);
        if (isFifo)
        {
            queue.MakeFifo();
        }

        return new SqsRun(
            queue, options ?? Options(isFifo ? "orders.fifo" : "orders"), wire ?? new SqsWireOptions(), time, concurrency, slots ?? Math.Max(64, concurrency),
            loggers, handler);
    }

    /// <summary>A source whose calls go over connections, as the worker's do. The clock of the queue's long polls is the system's.</summary>
    public static async Task<SqsRun> ConnectAsync(int concurrency) =>
        new(
            await FakeQueue.StartAsync(),
            Options(),
            new SqsWireOptions(),
            new ManualTimeProvider(),
            concurrency,
            slots: concurrency,
            loggers: null,
            AwsHttpHandler.Create());

    /// <summary>Options for tests that do not concern the acknowledge delay.</summary>
    public static SqsSourceOptions Options(string queue = "orders") =>
        new() { Queue = queue, AcknowledgeDelay = TimeSpan.Zero, VisibilityTimeout = TimeSpan.FromSeconds(30) };

    /// <summary>Starts, and waits until the heartbeat's timer is armed: earlier, moving the time has no effect.</summary>
    public async Task BeginAsync()
    {
        await StartAsync();
        await WaitAsync(() => Time.ArmedTimers > 0, "The heartbeat did not begin.");
    }

    /// <summary>Starts, delivers messages and waits for them at the intake.</summary>
    public async Task<Delivery[]> BeginWithAsync(params FakeMessage[] messages)
    {
        await BeginAsync();
        Queue.DeliverAll(messages);
        return await TakeAsync(messages.Length);
    }

    public async Task<Delivery[]> TakeAsync(int count)
    {
        Delivery[] deliveries = new Delivery[count];
        for (int i = 0; i < count; i++)
        {
            deliveries[i] = await Intake.NextAsync();
        }

        return deliveries;
    }

    /// <summary>Waits without moving the source's clock.</summary>
    public static Task WaitAsync(Func<bool> condition, string what) => PassingTime.UntilAsync(condition, what);

    /// <summary>Waits, and moves the source's clock in steps of a tenth of a second.</summary>
    public Task PassUntilAsync(Func<bool> condition, string what) => PassUntilAsync(condition, TimeSpan.FromMilliseconds(100), what);

    /// <summary>Waits until the source has the queue's answer to every delete and return: a call that the queue has recorded may still be in flight.</summary>
    public Task PassUntilSettledAsync() => PassUntilAsync(() => _source.InFlight == 0, "Deletes or returns are still in flight.");

    /// <summary>Moves the source's clock in steps of half a second.</summary>
    public async Task PassAsync(TimeSpan time)
    {
        DateTimeOffset end = Time.GetUtcNow() + time;
        await PassUntilAsync(() => Time.GetUtcNow() >= end, TimeSpan.FromMilliseconds(500), "The clock did not move.");
    }

    /// <summary>Settles, and moves the source's clock in seconds until that has ended.</summary>
    public async Task PassWhileSettlingAsync(Delivery delivery, Settlement settlement)
    {
        Task settling = delivery.SettleAsync(settlement);
        await Time.PassUntilAsync(TimeSpan.FromSeconds(1), () => settling.IsCompleted, "The settlement did not end.");
        await settling;
    }

    public bool HasLogged(int eventId) => Log.Entries.Any(entry => entry.Id.Id == eventId);

    /// <summary>Stops receiving, and moves the source's clock past the grace of a pending receive.</summary>
    public Task StopAsync() => PassWhileAsync(StopReceivingAsync());

    /// <summary>Stops as the host does, and asserts that no message, slot or buffer is left.</summary>
    public Task EndAsync() => PassWhileAsync(FinishAsync());

    /// <summary>Moves the source's clock until the task has ended.</summary>
    public async Task PassWhileAsync(Task task)
    {
        await PassUntilAsync(() => task.IsCompleted, "It did not end.");
        await task;
    }

    public override Task PublishAsync(byte[] body, string? id = null) =>
        throw new NotSupportedException("The script decides what is delivered.");

    public override Task<IReadOnlyList<DeadLetteredMessage>> DeadLettersAsync(int expected) =>
        throw new NotSupportedException("Assert the calls instead.");

    public override Task WaitUntilEmptyAsync() => throw new NotSupportedException("Assert the calls instead.");

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        await Queue.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>Waits, and moves the source's clock in steps.</summary>
    public Task PassUntilAsync(Func<bool> condition, TimeSpan step, string what) => Time.PassUntilAsync(step, condition, what);
}
