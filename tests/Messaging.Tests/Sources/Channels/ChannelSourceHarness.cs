using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Sources.Channels;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Sources.Channels;

internal sealed class ChannelSourceHarness : SourceHarness
{
    public const string Route = "orders";

    private readonly BufferPool _buffers = new(new PoisoningArrayPool());
    private readonly ChannelMessageSource _source;

    public ChannelSourceHarness(Action<ChannelSourceOptions>? configure = null, ILoggerFactory? loggers = null)
    {
        ChannelSourceOptions options = new();
        configure?.Invoke(options);
        ServiceProvider none = new ServiceCollection().BuildServiceProvider();
        _source = new ChannelMessageSource(
            new SourceServices
            {
                Route = Route,
                Services = none,
                DeadLetters = DeadLetters,
                Loggers = loggers ?? Log,
                Time = Time,
                Concurrency = 64,
                Name = "channel",
            }, options, Publishers, _buffers);
    }

    public override IMessageSource Source => _source;

    public ManualTimeProvider Time { get; } = new();

    public MemoryDeadLetters DeadLetters { get; } = new();

    public ChannelPublishers Publishers { get; } = new();

    public ChannelPublisher Publisher => Publishers.For(Route);

    public RecordingLog Log { get; } = new();

    public override int OutstandingBuffers => _buffers.Outstanding;

    /// <summary>A channel ends with the process.</summary>
    public override bool RedeliversAfterCrash => false;

    public override Task PublishAsync(byte[] body, string? id = null) => Publisher.PublishAsync(body, id).AsTask();

    public override Task AdvanceAsync(TimeSpan time)
    {
        Time.Advance(time);
        return Task.CompletedTask;
    }

    public override async Task<IReadOnlyList<DeadLetteredMessage>> DeadLettersAsync(int expected)
    {
        await UntilAsync(() => DeadLetters.Messages.Count >= expected, "The dead letters did not arrive.");
        return DeadLetters.Messages;
    }

    public override Task WaitUntilEmptyAsync() => Publisher.WhenSettledAsync(CancellationToken.None).WaitAsync(TimeSpan.FromSeconds(60));
}
