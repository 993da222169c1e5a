using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Sockets.Udp;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Sockets.Udp;

/// <summary>The UDP source with a sender on loopback.</summary>
internal sealed class UdpSourceHarness : SourceHarness
{
    private readonly BufferPool _buffers = new(new PoisoningArrayPool());
    private readonly UdpMessageSource _source;
    private int _sent;

    public UdpSourceHarness(Action<UdpSourceOptions>? configure = null, bool isPortable = false)
    {
        Options = new UdpSourceOptions { Endpoint = "127.0.0.1:0" };
        configure?.Invoke(Options);
        ServiceProvider none = new ServiceCollection().BuildServiceProvider();
        _source = new UdpMessageSource(
            new SourceServices
            {
                Route = "orders",
                Services = none,
                DeadLetters = DeadLetters,
                Loggers = Log,
                Time = Time,
                Concurrency = 64,
                Metrics = RouteMetrics,
                Name = "udp",
            }, Options, _buffers)
        { IsPortable = isPortable || !OperatingSystem.IsLinux() };
    }

    public override IMessageSource Source => _source;

    public UdpMessageSource Udp => _source;

    public UdpSourceOptions Options { get; }

    public ManualTimeProvider Time { get; } = new();

    public MemoryDeadLetters DeadLetters { get; } = new();

    public RecordingLog Log { get; } = new();

    /// <summary>The counters of the route.</summary>
    public RouteMetrics RouteMetrics { get; } = new("orders");

    public Socket Sender { get; } = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);

    public override int OutstandingBuffers => _buffers.Outstanding;

    public override bool KeepsGivenIds => false;

    public override int MaxBodyBytes => Options.MaxMessageBytes;

    /// <summary>Sends a datagram unchanged.</summary>
    public async Task SendAsync(byte[] datagram)
    {
        await Sender.SendToAsync(datagram, SocketFlags.None, (IPEndPoint)_source.Endpoint!);
    }

    /// <summary>A datagram exists only in the process.</summary>
    public override bool RedeliversAfterCrash => false;

    public override async Task PublishAsync(byte[] body, string? id = null)
    {
        Interlocked.Increment(ref _sent);
        await SendAsync(Options.Checksum == UdpChecksum.Verify ? Fletcher32Tests.WithTrailer(body) : body);
    }

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

    public override Task WaitUntilEmptyAsync() =>
        UntilAsync(() => Intake.Accepted >= Volatile.Read(ref _sent) && _source.Unsettled == 0, "Some datagrams were not settled.");

    public Task UntilAsync(Func<bool> condition) => UntilAsync(condition, "The condition did not become true.");

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        Sender.Dispose();
    }
}
