using System.Text;
using System.Text.Json;
using Integration.Tests.Faults;
using Integration.Tests.Servers;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Buffers;
using AwsEndpoint = Integration.Tests.Servers.AwsEndpoint;
using SqsMessage = Integration.Tests.Servers.SqsMessage;

namespace Integration.Tests.Aws.Sqs;

/// <summary>The SQS source over HTTP: a queue and a dead-letter queue of its own on the shared server.</summary>
internal sealed class SqsSourceHarness : SourceHarness
{
    private BufferPool _buffers = new(new PoisoningArrayPool());
    private readonly SqsQueue _deadLetters;
    private readonly Func<SqsMessageSource> _open;
    private readonly TcpFaultProxy? _proxy;
    private readonly bool _isFauxqs;
    private SqsMessageSource _source;
    private bool _leftMessages;

    private SqsSourceHarness(AwsEndpoint endpoint, SqsQueue queue, SqsQueue deadLetters, TimeSpan visibility)
    {
        Queue = queue;
        _isFauxqs = endpoint.Implementation == "fauxqs";
        _deadLetters = deadLetters;
        _proxy = endpoint.ServiceUrl.IsLoopback ? new TcpFaultProxy(endpoint.ServiceUrl) : null;
        SqsQueueReference reference = SqsQueueReference.Parse(queue.Name)!;
        AwsOptions aws = new()
        { Endpoint = _proxy?.Url ?? endpoint.ServiceUrl, Region = endpoint.Region, AccessKeyId = endpoint.AccessKey, SecretAccessKey = endpoint.SecretKey };
        SqsSourceOptions options = new()
        {
            Queue = queue.Name,
            VisibilityTimeout = visibility,
            MaxHoldTime = TimeSpan.FromMinutes(15),
            AcknowledgeDelay = TimeSpan.FromMilliseconds(20),
        };
        ServiceProvider none = new ServiceCollection().BuildServiceProvider();
        _open = () => new SqsMessageSource(
            SqsClient.Create(aws, reference, new SqsWireOptions { CallTimeout = TimeSpan.FromSeconds(2) }, _buffers, TimeProvider.System),
            reference, options, new SourceServices
            {
                Route = "orders",
                Services = none,
                DeadLetters = new MemoryDeadLetters(),
                Loggers = Log,
                Concurrency = 60,
            },
            messageTimeout: TimeSpan.Zero);
        _source = _open();
    }

    public SqsQueue Queue { get; }

    public RecordingLog Log { get; } = new();

    public override IMessageSource Source => _source;

    public override int OutstandingBuffers => _buffers.Outstanding;

    public override bool AllowsEmptyBodies => false;

    public override bool AllowsAnyBytes => false;

    /// <summary>SQS accepts them, fauxqs refuses them; the tests of the scripted queue cover them.</summary>
    public override bool AllowsSupplementaryCharacters => false;

    public override bool KeepsGivenIds => false;

    /// <summary>To a server of this machine.</summary>
    public override bool HoldsConnections => _proxy is not null;

    public override TimeSpan AbandonDelay => TimeSpan.FromSeconds(2);

    /// <param name="endpoint">The server.</param>
    /// <param name="visibility">The visibility timeout; shorter than users may configure it where a test waits for its end.</param>
    public static async Task<SqsSourceHarness> CreateAsync(AwsEndpoint endpoint, TimeSpan? visibility = null)
    {
        SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);

        // Every fault counts as a receive, and no message may become a dead letter.
        SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters, maxReceiveCount: 1_000);
        return new SqsSourceHarness(endpoint, queue, deadLetters, visibility ?? TimeSpan.FromSeconds(30));
    }

    public override Task PublishAsync(byte[] body, string? id = null) => Queue.SendAsync(Encoding.UTF8.GetString(body));

    /// <summary>Disposed without a close, the source returns nothing: its messages are visible again when their timeout ends.</summary>
    public override async Task ReopenAsync()
    {
        await CrashAsync();
        _leftMessages = true;

        // Those of the messages in flight end with the process.
        _buffers = new BufferPool(new PoisoningArrayPool());
        _source = _open();
    }

    public override Task InterruptAsync()
    {
        _proxy!.ResetAll();
        _leftMessages = true;
        return Task.CompletedTask;
    }

    /// <summary>After a crash or an interruption the visibility timeouts end with each step, and not after their 30 s.</summary>
    public override async Task AdvanceAsync(TimeSpan time)
    {
        await base.AdvanceAsync(time);
        if (_leftMessages && _isFauxqs)
        {
            await Queue.ExpireVisibilityAsync();
        }
    }

    public override async Task<IReadOnlyList<DeadLetteredMessage>> DeadLettersAsync(int expected)
    {
        await _deadLetters.WaitForCountAsync(counts => counts.Total >= expected);
        return [.. (await _deadLetters.DrainAsync()).Select(ToDeadLetter)];
    }

    public override Task WaitUntilEmptyAsync() => Queue.WaitForCountAsync(counts => counts.Total == 0);

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        if (_proxy is not null)
        {
            await _proxy.DisposeAsync();
        }

        Queue.Dispose();
        _deadLetters.Dispose();
        GC.SuppressFinalize(this);
    }

    private static DeadLetteredMessage ToDeadLetter(SqsMessage message)
    {
        JsonElement details = JsonDocument.Parse(message.Attributes["DeadLetterDetails"]).RootElement;
        return new DeadLetteredMessage(
            details.GetProperty("sourceId").GetString()!,
            message.Attributes["DeadLetterReason"],
            details.GetProperty("description").GetString()!,
            Encoding.UTF8.GetBytes(message.Body));
    }
}
