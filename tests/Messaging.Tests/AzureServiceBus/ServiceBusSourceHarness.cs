using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.AzureServiceBus;
using Quayside.Messaging.Sources;

namespace Messaging.Tests.AzureServiceBus;

/// <summary>The Service Bus source over a <see cref="FakeBus"/>.</summary>
internal sealed class ServiceBusSourceHarness : SourceHarness
{
    private readonly ServiceBusSourceOptions _options;
    private readonly int _calls;
    private readonly List<ServiceBusMessageSource> _crashed = [];
    private ServiceBusMessageSource _source;

    public ServiceBusSourceHarness(int calls = 64, TimeSpan? maxLockRenewal = null, int doneIds = 1_000)
        : base(calls)
    {
        Bus = new FakeBus(Time);
        _calls = calls;
        _options = new ServiceBusSourceOptions
        {
            ConnectionString = "Endpoint=sb://localhost;SharedAccessKeyName=n;SharedAccessKey=k",
            Queue = "orders",
            MaxLockRenewal = maxLockRenewal ?? TimeSpan.FromMinutes(15),
            DoneIds = doneIds,
        };
        _source = Open();
    }

    public FakeBus Bus { get; }

    public ManualTimeProvider Time { get; } = new();

    public RecordingLog Log { get; } = new();

    public override IMessageSource Source => _source;

    /// <summary>The library owns the bodies; the source rents no buffer.</summary>
    public override int OutstandingBuffers => 0;

    public override Task PublishAsync(byte[] body, string? id = null)
    {
        Bus.Publish(body, id);
        return Task.CompletedTask;
    }

    /// <summary>A harness that receives.</summary>
    public static async Task<ServiceBusSourceHarness> ReceivingAsync(
        int calls = 64, TimeSpan? maxLockRenewal = null, int doneIds = 1_000)
    {
        ServiceBusSourceHarness harness = new(calls, maxLockRenewal, doneIds);
        await harness.StartAsync();
        return harness;
    }

    /// <summary>Publishes a message and waits until the intake has it.</summary>
    public async Task<Delivery> ReceiveAsync(byte[] body, string id)
    {
        await PublishAsync(body, id);
        return await Intake.NextAsync();
    }

    public override Task AdvanceAsync(TimeSpan time)
    {
        Time.Advance(time);
        return Task.CompletedTask;
    }

    public override async Task ReopenAsync()
    {
        await CrashAsync(() =>
        {
            Bus.Kill();
            return Task.CompletedTask;
        });
        _crashed.Add(_source);
        _source = Open();
    }

    public override async Task<IReadOnlyList<DeadLetteredMessage>> DeadLettersAsync(int expected)
    {
        await UntilAsync(() => Bus.Letters.Count >= expected, "The dead letters did not arrive.");
        return [.. Bus.Letters.Select(letter => new DeadLetteredMessage(
            JsonDocument.Parse((string)letter.Properties["DeadLetterDetails"]).RootElement.GetProperty("sourceId").GetString()!,
            letter.Reason,
            letter.Description,
            letter.Entry.Body))];
    }

    public override Task WaitUntilEmptyAsync() => UntilAsync(() => Bus.Count == 0, "The queue did not become empty.");

    /// <summary>A failed test leaves messages in flight, for which the disposal waits by this clock.</summary>
    public override async ValueTask DisposeAsync()
    {
        Task disposing = base.DisposeAsync().AsTask();
        await AdvanceUntilAsync(() => disposing.IsCompleted, TimeSpan.FromSeconds(1), "The source could not be disposed.");
        await disposing;
    }

    private ServiceBusMessageSource Open()
    {
        ServiceProvider none = new ServiceCollection().BuildServiceProvider();
        ServiceBusEntity entity = new(Bus.CreateClient(_options, retries: null), Bus.CreateClient(_options, ServiceBusEntity.CheckRetries), _options, Time);
        return new ServiceBusMessageSource(entity, _calls, _options, new SourceServices
        {
            Route = "archive",
            Services = none,
            DeadLetters = new MemoryDeadLetters(),
            Loggers = Log,
            Time = Time,
            Concurrency = _calls,
        });
    }

    /// <summary>Waits until each call waits for a message.</summary>
    public Task UntilReceivingAsync() => UntilAsync(() => Bus.Waiting == _calls, "Each call should receive.");

    /// <summary>Polls, because the condition changes on other threads.</summary>
    public static new Task UntilAsync(Func<bool> condition, string what) => SourceHarness.UntilAsync(condition, what);

    /// <summary>Moves the clock in steps until the condition holds; a timer that it depends on may not be armed yet.</summary>
    public async Task AdvanceUntilAsync(Func<bool> condition, TimeSpan step, string what)
    {
        for (int attempt = 0; !condition(); attempt++)
        {
            attempt.ShouldBeLessThan(2_000, what);
            Time.Advance(step);
            await Task.Delay(10);
        }
    }
}
