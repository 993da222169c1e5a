using System.Net;
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

    private const string Source = "Udp";
    private const string TooLargeAdvice = "Raise Sources:Udp:MaxMessageBytes, or send smaller datagrams.";
    private const string ChecksumAdvice = "The datagram was damaged, or its sender adds no Fletcher-32 checksum: compare Sources:Udp:Checksum with the sender.";
    private const string KernelAdvice = "The kernel's receive buffer was full: make the sink faster, or raise Sources:Udp:ReceiveBuffer for bursts.";
    private const string UnreadAdvice = "The drain ended before all datagrams in the kernel's buffer were read: raise Hosting:DrainTimeout.";

    private static readonly TimeSpan KernelLookInterval = TimeSpan.FromSeconds(10);

    private readonly UdpSourceOptions _options;
    private readonly string _route;
    private readonly BufferPool _buffers;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly LogThrottle _dropLog;
    private readonly RouteMetrics? _routeMetrics;
    private readonly InMemoryMessages<DatagramMessage> _inMemory;
    private readonly BlockingWait _wait = new();
    private readonly ITimer _kernelLook;

    private UdpSocket? _socket;
    private IDatagramReceiver? _receiver;
    private long _kernelDrops;
    private int _disposed;

    public UdpMessageSource(SourceServices services, UdpSourceOptions options, BufferPool buffers)
    {
        _options = options;
        _route = services.Route;
        _buffers = buffers;
        _time = services.Time;
        _logger = services.Loggers.CreateLogger<UdpMessageSource>();
        _dropLog = new LogThrottle(services.Time, TimeSpan.FromSeconds(10));
        _routeMetrics = services.Metrics;
        int limit = InMemoryMessages<DatagramMessage>.WaitingLimit + services.Concurrency + IDatagramReceiver.LargestBatch;
        _inMemory = new InMemoryMessages<DatagramMessage>(InMemoryServices.Of(services, _logger), limit, static inMemory => new DatagramMessage(inMemory));
        _kernelLook = services.Time.CreateTimer(static state => ((UdpMessageSource)state!).LookAtKernel(), this, KernelLookInterval, KernelLookInterval);
    }

    /// <summary>The endpoint on which it receives; null before <see cref="CheckAsync"/>.</summary>
    public EndPoint? Endpoint => _socket?.Endpoint;

    /// <summary>True to receive one datagram per system call, as every system can; Linux receives many.</summary>
    public bool IsPortable { get; init; } = !OperatingSystem.IsLinux();

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
        _receiver = _socket.CreateReceiver(_options, IsPortable);
        UdpSourceMetrics.Observe(_route, _socket);
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
        // A loop that fails ends the other too, so that the route notices and starts both again.
        using CancellationTokenSource ending = CancellationTokenSource.CreateLinkedTokenSource(stopReceiving);
        Task[] loops = [ReceiveOnOwnThreadAsync(intake, ending.Token), _inMemory.HandInAsync(intake, ending.Token)];
        await Task.WhenAll(loops.Select(loop => EndingAsync(loop, ending)));
    }

    /// <summary>Reads the kernel's buffer, at most once its size, and hands in all messages.</summary>
    public async Task DrainAsync(IMessageIntake intake, CancellationToken stopDraining) =>
        await _inMemory.DrainAsync(intake, OnOwnThread(() => TakeOverKernelBuffer(intake, stopDraining)), stopDraining);

    public async Task CloseAsync(CancellationToken cancellationToken)
    {
        LookAtKernel();
        await _inMemory.CloseAsync(cancellationToken);
        int left = (int)(_socket?.KernelState?.Bytes ?? 0);
        if (left > 0)
        {
            _routeMetrics?.InputDropped(3404, Source, "unread", UnreadAdvice, isLost: true);
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
            _routeMetrics?.InputDropped(3403, Source, "kernel-buffer", KernelAdvice, isLost: true, dropped);
            UdpLog.KernelDropped(_logger, _route, dropped, state.Drops);
        }
    }
}
