using System.Net;
using System.Threading.Channels;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Sources.InMemory;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Sockets.Udp;

/// <summary>
/// Receives one message per datagram, and never answers. UDP guarantees nothing: datagrams dropped by the network or the kernel are lost, and so are messages
/// in memory at a kill. Every other message is stored or dead-lettered; abandoned ones wait in memory for redelivery. See docs/explanation/settlement.md.
/// This file has the life cycle; the other one receives.
/// </summary>
internal sealed partial class UdpMessageSource : IMessageSource
{
    /// <summary>Why a datagram was dropped: longer than the limit.</summary>
    public const string TooLargeReason = "too-large";

    /// <summary>Why a datagram was dropped: the checksum was wrong or missing.</summary>
    public const string ChecksumReason = "checksum";

    private const string TooLargeAdvice = "Raise Sources:Udp:MaxMessageBytes, or send smaller datagrams.";
    private const string ChecksumAdvice = "The datagram was damaged, or its sender adds no Fletcher-32 checksum: compare Sources:Udp:Checksum with the sender.";
    private const string KernelAdvice = "The kernel's receive buffer was full: make the sink faster, or raise Sources:Udp:ReceiveBuffer for bursts.";
    private const string UnreadAdvice = "The drain ended before all datagrams in the kernel's buffer were read: raise Hosting:DrainTimeout.";

    // Null entries only wake the channel's reader, when receiving ends and when draining ends. Waiting with a token would allocate on every wait.
    private const int WakeUps = 2;

    private static readonly TimeSpan KernelLookInterval = TimeSpan.FromSeconds(10);

    private readonly UdpSourceOptions _options;
    private readonly UdpChecksum _checksum;
    private readonly string _route;
    private readonly BufferPool _buffers;
    private readonly TimeProvider _time;
    private readonly int _concurrency;
    private readonly ILogger _logger;
    private readonly LogThrottle _dropLog;
    private readonly UdpSourceMetrics _metrics;
    private readonly RouteMetrics? _routeMetrics;
    private readonly InMemoryMessages<DatagramMessage> _inMemory;
    private readonly Channel<DatagramMessage?>? _channel;
    private readonly BlockingWait _wait = new();
    private readonly ManualResetEventSlim _taken = new(initialState: false, spinCount: 0);
    private readonly ITimer _kernelLook;

    private UdpSocket? _socket;
    private IDatagramReceiver? _receiver;
    private long _kernelDrops;
    private int _disposed;

    public UdpMessageSource(SourceServices services, UdpSourceOptions options, BufferPool buffers)
    {
        _options = options;
        _checksum = options.Checksum;
        _route = services.Route;
        _buffers = buffers;
        _time = services.Time;
        _concurrency = services.Concurrency;
        _logger = services.Loggers.CreateLogger<UdpMessageSource>();
        _dropLog = new LogThrottle(services.Time, TimeSpan.FromSeconds(10));
        _metrics = new UdpSourceMetrics(services.Route);
        _routeMetrics = services.Metrics;
        int limit = InMemoryMessages<DatagramMessage>.WaitingLimit + services.Concurrency + options.ChannelCapacity + IDatagramReceiver.LargestBatch;
        _inMemory = new InMemoryMessages<DatagramMessage>(InMemoryServices.Of(services, _logger), limit, static inMemory => new DatagramMessage(inMemory));
        if (options.ChannelCapacity > 0)
        {
            _channel = Channel.CreateBounded<DatagramMessage?>(new BoundedChannelOptions(options.ChannelCapacity + WakeUps)
            {
                FullMode = BoundedChannelFullMode.Wait,
                SingleReader = true,
                SingleWriter = false,

                // The reader must not run on the receiving thread.
                AllowSynchronousContinuations = false,
            });
        }

        _kernelLook = services.Time.CreateTimer(static state => ((UdpMessageSource)state!).LookAtKernel(), this, KernelLookInterval, KernelLookInterval);
    }

    /// <summary>The endpoint on which it receives; null before <see cref="CheckAsync"/>.</summary>
    public EndPoint? Endpoint => _socket?.Endpoint;

    public UdpSourceMetrics Metrics => _metrics;

    /// <summary>Messages received and neither completed nor dead-lettered.</summary>
    public int Unsettled => _inMemory.Unsettled;

    /// <summary>Abandoned messages that wait for redelivery.</summary>
    public int Waiting => _inMemory.Waiting;

    /// <summary>Datagrams that the kernel dropped; 0 where it does not report them.</summary>
    public long KernelDrops => _socket?.KernelState?.Drops ?? 0;

    /// <summary>Binds the socket. From then on the kernel buffers datagrams.</summary>
    public Task CheckAsync(CancellationToken cancellationToken)
    {
        _socket = UdpSocket.Bind(_options);
        _receiver = _socket.CreateReceiver(_options);
        _metrics.Observe(_socket);
        int buffer = _socket.ReceiveBuffer;
        UdpLog.Bound(_logger, _route, _socket.Endpoint, buffer);
        if (buffer < _options.ReceiveBuffer)
        {
            UdpLog.BufferCapped(_logger, _route, buffer, _options.ReceiveBuffer);
        }

        return Task.CompletedTask;
    }

    public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
    {
        // A loop that fails ends the others too, so that the route notices and starts all of them again.
        using CancellationTokenSource ending = CancellationTokenSource.CreateLinkedTokenSource(stopReceiving);
        List<Task> loops = [ReceiveOnOwnThreadAsync(intake, ending.Token), _inMemory.HandInAsync(intake, ending.Token)];
        if (_channel is not null)
        {
            loops.Add(HandInChannelAsync(_channel, intake, ending.Token));
        }

        await Task.WhenAll(loops.Select(loop => EndingAsync(loop, ending)));
    }

    /// <summary>Reads the kernel's buffer, at most once its size, and hands in all messages.</summary>
    public async Task DrainAsync(IMessageIntake intake, CancellationToken stopDraining)
    {
        await _inMemory.DrainAsync(intake, TakeOverAsync(intake, stopDraining), stopDraining);
    }

    public async Task CloseAsync(CancellationToken cancellationToken)
    {
        LookAtKernel();
        if (_channel is not null)
        {
            _channel.Writer.TryComplete();
            while (_channel.Reader.TryRead(out DatagramMessage? message))
            {
                if (message is not null)
                {
                    await _inMemory.ReturnAsync(message, TimeSpan.Zero);
                }
            }
        }

        await _inMemory.CloseAsync(cancellationToken);
        if (_metrics.TooLarge + _metrics.Corrupt > 0)
        {
            UdpLog.DroppedInAll(_logger, _route, _metrics.TooLarge, _metrics.Corrupt);
        }

        int left = (int)(_socket?.KernelState?.Bytes ?? 0);
        if (left > 0)
        {
            _routeMetrics?.InputDropped("unread", UnreadAdvice, isLost: true);
            UdpLog.LeftInKernel(_logger, _route, left);
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        await _inMemory.CloseAsync(new CancellationToken(canceled: true));
        await _kernelLook.DisposeAsync();
        _inMemory.Dispose();
        _socket?.Dispose();
    }

    private static async Task EndingAsync(Task loop, CancellationTokenSource ending)
    {
        try
        {
            await loop;
        }
        finally
        {
            await ending.CancelAsync();
        }
    }

    private async Task TakeOverAsync(IMessageIntake intake, CancellationToken stopDraining)
    {
        Task kernel = OnOwnThread(() => TakeOverKernelBuffer(intake, stopDraining));
        if (_channel is not null)
        {
            Task channel = HandInChannelAsync(_channel, intake, stopDraining);
            await kernel;
            _channel.Writer.TryComplete();
            await channel;
        }

        await kernel;
    }

    private async Task HandInChannelAsync(Channel<DatagramMessage?> channel, IMessageIntake intake, CancellationToken stop)
    {
        ChannelReader<DatagramMessage?> reader = channel.Reader;
        await using CancellationTokenRegistration wake =
            stop.UnsafeRegister(static state => ((Channel<DatagramMessage?>)state!).Writer.TryWrite(null), channel);
        try
        {
            while (!stop.IsCancellationRequested && await reader.WaitToReadAsync(CancellationToken.None))
            {
                using SlotLease slots = await intake.ReserveAsync(1, Math.Clamp(reader.Count, 1, _concurrency), stop);
                if (!stop.IsCancellationRequested)
                {
                    HandInFrom(reader, slots);
                }

                _taken.Set();
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // The messages in the channel stay there for the drain.
        }
    }

    private static void HandInFrom(ChannelReader<DatagramMessage?> reader, SlotLease slots)
    {
        while (slots.Count > 0 && reader.TryRead(out DatagramMessage? message))
        {
            if (message is not null)
            {
                message.BeginDelivery();
                slots.Accept(message);
            }
        }
    }

    private void LookAtKernel()
    {
        if (_socket?.KernelState is not { } state)
        {
            return;
        }

        // Modulo 2^32, as the kernel counts.
        long dropped = (uint)(state.Drops - Interlocked.Exchange(ref _kernelDrops, state.Drops));
        if (dropped > 0)
        {
            _routeMetrics?.InputDropped("kernel-buffer", KernelAdvice, isLost: true, dropped);
            UdpLog.KernelDropped(_logger, _route, dropped, state.Drops);
        }
    }
}
