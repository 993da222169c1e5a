using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Sources.InMemory;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>
/// Receives one message per line of a TCP connection. With acknowledgements each line is answered after its settlement, and the sender keeps it until then.
/// Without them the sender gets no answer, and a kill loses the lines in memory. See docs/explanation/settlement.md.
/// </summary>
internal sealed class TcpLinesMessageSource : IMessageSource
{
    /// <summary>Why lines were dropped: the worker stopped before it read them.</summary>
    public const string UnreadReason = "unread";

    private const string Source = "TcpLines";

    private static readonly Backoff AcceptBackoff = new(TimeSpan.FromMilliseconds(50), TimeSpan.FromSeconds(5));

    // How often senders are checked; they may exceed a time limit by this much.
    private static readonly TimeSpan WatchInterval = TimeSpan.FromMilliseconds(500);

    private static readonly TimeSpan LogInterval = TimeSpan.FromSeconds(10);

    private readonly ConnectionTable _connections;
    private readonly ThrottlingLogger _throttled;
    private readonly SourceServices _services;
    private readonly CancellationTokenSource _stopKeeping = new();
    private readonly RouteMetrics? _routeMetrics;
    private readonly CancellationTokenSource _stopReading = new();
    private readonly CancellationTokenSource _stopHandingIn = new();
    private readonly TaskCompletionSource _allEnded = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ITimer _watch;

    private ILineListener? _listener;
    private PresentedCertificate? _certificate;
    private volatile Tuple<X509Certificate2Collection, SslServerAuthenticationOptions>? _tls;
    private bool _closing;
    private int _disposed;

    public TcpLinesMessageSource(SourceServices services, TcpLinesSourceOptions options, BufferPool buffers)
    {
        Options = options;
        _services = services;
        Route = services.Route;
        Buffers = buffers;
        Time = services.Time;
        Concurrency = services.Concurrency;
        Logger = services.Loggers.CreateLogger<TcpLinesMessageSource>();
        Metrics = new TcpLinesMetrics(services.Route);
        InMemory = new InMemoryMessages<LineMessage>(
            InMemoryServices.Of(services, Logger),
            InMemoryMessages<LineMessage>.WaitingLimit + services.Concurrency,
            static inMemory => new LineMessage(inMemory));
        _connections = new ConnectionTable(options.MaxConnections, options.MaxConnectionsPerAddress);
        _throttled = new ThrottlingLogger(Logger, Time, LogInterval);
        _routeMetrics = services.Metrics;
        Metrics.Observe(_connections);
        _watch = Time.CreateTimer(static state => ((TcpLinesMessageSource)state!).Watch(), this, WatchInterval, WatchInterval);
    }

    public string Route { get; }

    public TcpLinesSourceOptions Options { get; }

    public TimeProvider Time { get; }

    public BufferPool Buffers { get; }

    public int Concurrency { get; }

    public ILogger Logger { get; }

    public TcpLinesMetrics Metrics { get; }

    /// <summary>The lines of all connections, from their receipt to their settlement.</summary>
    public InMemoryMessages<LineMessage> InMemory { get; }

    /// <summary>The endpoint on which it listens; null before <see cref="CheckAsync"/>.</summary>
    public EndPoint? Endpoint => _listener?.Endpoint;

    /// <summary>What it presents; null without TLS.</summary>
    public PresentedCertificate? Certificate
    {
        init => _certificate = value;
    }

    /// <summary>Begins to listen.</summary>
    public Func<TcpLinesSourceOptions, ILineListener> Listen { get; init; } = SocketLineListener.Open;

    public IReadOnlyList<LineConnection> Connections => _connections.Snapshot();

    /// <summary>True when connections use TLS.</summary>
    public bool HasTls => _certificate is not null;

    /// <summary>What a TLS handshake needs; new after a renewal of the certificate.</summary>
    public SslServerAuthenticationOptions TlsOptions
    {
        get
        {
            X509Certificate2Collection chain = _certificate!.Chain;
            if (_tls is not { } tls || tls.Item1 != chain)
            {
                _tls = tls = Tuple.Create(chain, TlsCertificate.OptionsOf(chain));
            }

            return tls.Item2;
        }
    }

    public string? Problem => _certificate?.Problem;

    /// <summary>Cancelled when receiving stops: no connection is read any more.</summary>
    public CancellationToken StopReading => _stopReading.Token;

    /// <summary>Cancelled when the drain ends: no line is handed in any more.</summary>
    public CancellationToken StopHandingIn => _stopHandingIn.Token;

    /// <summary>Reads the certificate and listens. From then on the kernel accepts connections, up to its backlog.</summary>
    public Task CheckAsync(CancellationToken cancellationToken)
    {
        _certificate ??= TlsCertificate.Open(Options, Route, Time, Logger);
        _listener = Listen(Options);
        TcpLinesLog.Listening(Logger, Route, _listener.Endpoint, Options.Framing, HasTls, Options.Acknowledge);
        return Task.CompletedTask;
    }

    public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
    {
        // A loop that fails ends the other too, so that the route notices and starts both again.
        using CancellationTokenSource ending = CancellationTokenSource.CreateLinkedTokenSource(stopReceiving);
        Task handingIn = InMemory.HandInAsync(intake, ending.Token);
        try
        {
            await AcceptAsync(intake, ending.Token);
        }
        finally
        {
            await ending.CancelAsync();
            await handingIn;
        }
    }

    /// <summary>Hands in the lines that were read; nothing more is read.</summary>
    public async Task DrainAsync(IMessageIntake intake, CancellationToken stopDraining)
    {
        _listener?.Dispose();
        await _stopReading.CancelAsync();
        await using CancellationTokenRegistration end = stopDraining.UnsafeRegister(static state => ((CancellationTokenSource)state!).Cancel(), _stopHandingIn);

        // A connection whose dead letter hangs must not hold up the drain.
        Task read =
            Task.WhenAny(Task.WhenAll(_connections.Snapshot().Select(connection => connection.Read)), Task.Delay(Timeout.InfiniteTimeSpan, stopDraining));
        await InMemory.DrainAsync(intake, read, stopDraining);
    }

    /// <summary>Writes the remaining answers and closes the connections.</summary>
    public async Task CloseAsync(CancellationToken cancellationToken)
    {
        _listener?.Dispose();
        await _stopReading.CancelAsync();
        await _stopHandingIn.CancelAsync();

        // Waits until the connections have returned or dropped the lines that they read but did not hand in.
        await Task.WhenAll(_connections.Snapshot().Where(connection => connection.IsReading).Select(connection => connection.Read))
            .WaitAsync(cancellationToken)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await InMemory.CloseAsync(cancellationToken);

        // Sets the flag before it reads the count, while a connection is removed before the flag is read: one of the two sees the other.
        Interlocked.Exchange(ref _closing, true);
        EndIfLast();
        try
        {
            await _allEnded.Task.WaitAsync(cancellationToken);
        }
        catch (OperationCanceledException)
        {
            await _stopKeeping.CancelAsync();
            LineConnection[] rest = _connections.Snapshot();
            TcpLinesLog.CutOff(Logger, Route, rest.Length);
            foreach (LineConnection connection in rest)
            {
                connection.Abort(CloseReason.Stopping);
            }

            // Cancelled connections wait for nothing else, so they end.
            await _allEnded.Task;
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        await CloseAsync(new CancellationToken(canceled: true));
        await _watch.DisposeAsync();
        _certificate?.Dispose();
        InMemory.Dispose();
    }

    public void Ended(LineConnection connection, string reason)
    {
        Metrics.ConnectionClosed(reason);
        if (reason is CloseReason.End or CloseReason.Stopping)
        {
            TcpLinesLog.Ended(Logger, Route, connection.Peer, reason, connection.Lines);
        }
        else if (!IsForeign(reason))
        {
            TcpLinesLog.Closed(_throttled, Route, connection.Peer, connection.TlsFault is { } fault ? $"{reason}: {fault}" : reason);
        }

        _connections.Remove(connection);
        EndIfLast();
    }

    /// <summary>Counts and logs a connection of another protocol, which is then closed.</summary>
    public void Foreign(LineConnection connection, string reason)
    {
        string advice = FramingAdvice.ForProtocol(reason);

        // Behind a PROXY header are lines, which their sender keeps if it waits for answers. The others hold none.
        _routeMetrics?.InputDropped(3460, Source, reason, advice, isLost: reason == CloseReason.ProxyProtocol && !Options.Acknowledge);
        TcpLinesLog.Foreign(_throttled, Route, connection.Peer, reason, advice);
    }

    /// <summary>Counts and logs input that was no message, and keeps it unless its sender does.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="dropped">The input.</param>
    /// <param name="isAnswered">True when the sender gets an error, so that it may forget the line.</param>
    public async ValueTask DropAsync(LineConnection connection, DroppedLine dropped, bool isAnswered)
    {
        bool isKept = !Options.Acknowledge || isAnswered;
        string? problem = isKept ? await TryKeepAsync(connection, dropped.Reason, dropped.Advice, dropped.Kept, !dropped.IsWhole) : null;
        bool isLost = !Options.Acknowledge && (problem is not null || !dropped.IsWhole);
        long lostBytes = isLost ? dropped.Length - (problem is null ? dropped.Kept.Length : 0) : 0;
        _routeMetrics?.InputDropped(3454, Source, dropped.Reason, dropped.Advice, isLost, lostBytes: lostBytes);
        string fate = problem
            ?? (!isKept
                ? string.Empty
                : dropped.IsWhole
                ? KeptAs(dropped.Reason)
                : $" The first {dropped.Kept.Length} bytes are kept as a dead letter ({dropped.Reason}).");
        TcpLinesLog.LineDropped(_throttled, Route, dropped.Line, connection.Peer, dropped.Reason, dropped.Length, dropped.Advice, fate);
    }

    /// <summary>Counts lines that arrived after the worker had stopped reading, from a sender that gets no answers.</summary>
    public void Unread(LineConnection connection, long lines, long bytes)
    {
        _routeMetrics?.InputDropped(3457, Source, UnreadReason, FramingAdvice.Unread, isLost: true, lines, bytes);
        TcpLinesLog.Unread(Logger, Route, connection.Peer, bytes, FramingAdvice.Unread);
    }

    private async Task AcceptAsync(IMessageIntake intake, CancellationToken stop)
    {
        int failures = 0;
        while (!stop.IsCancellationRequested)
        {
            try
            {
                Serve(await _listener!.AcceptAsync(stop), intake);
                failures = 0;
            }
            catch (OperationCanceledException) when (stop.IsCancellationRequested)
            {
                return;
            }
            catch (SocketException exception)
            {
                // No descriptors, or no memory.
                TimeSpan delay = AcceptBackoff.After(++failures);
                TcpLinesLog.AcceptFailed(Logger, Route, UntrustedText.Shorten(exception.Message), delay);
                await Task.Delay(delay, Time, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    private void Serve(ILineTransport transport, IMessageIntake intake)
    {
        LineConnection connection = new(this, transport);
        if (_connections.TryAdd(connection) is { } refusal)
        {
            ReportRefused(connection, transport, refusal);
            connection.Dispose();
            return;
        }

        // On another thread: its first bytes may have arrived, and the accepting loop must not read them.
        _ = Task.Run(() => connection.RunAsync(intake), CancellationToken.None);
    }

    private void ReportRefused(LineConnection connection, ILineTransport transport, string reason)
    {
        Metrics.ConnectionRefused(reason);
        TcpLinesLog.Refused(_throttled, Route, connection.Peer, reason);
        if (Options.Acknowledge && !HasTls)
        {
            // Nothing was sent yet: the socket's buffer has room for it; otherwise the sender gets no answer.
            transport.TrySend(LineAnswers.TooManyConnections);
        }
    }

    private static bool IsForeign(string reason) =>
        reason is CloseReason.ProxyProtocol or CloseReason.ClientHello or CloseReason.HttpRequest;

    private static string KeptAs(string reason) => $" Its bytes are kept as a dead letter ({reason}).";

    /// <summary>Writes a dead letter of input that was no message.</summary>
    /// <returns>Null, or why it is lost.</returns>
    private async ValueTask<string?> TryKeepAsync(LineConnection connection, string reason, string advice, byte[] bytes, bool isPart)
    {
        byte[] id = new byte[ContentId.Length];
        ContentId.Write(bytes, id);
        DateTimeOffset now = Time.GetUtcNow();
        DeadLetter letter = new()
        {
            SourceId = Encoding.ASCII.GetString(id),
            Source = _services.Name,
            Route = Route,
            Reason = reason,
            Description = $"Received from {connection.Peer} and no message. {advice}",
            Attempts = 1,
            FirstSeen = now,
            LastSeen = now,
            IsPart = isPart,
        };
        try
        {
            // A disk that hangs must not hold up the end of the process.
            await _services.DeadLetters.WriteAsync(letter, bytes, _stopKeeping.Token).AsTask().WaitAsync(_stopKeeping.Token);
            return null;
        }
        catch (OperationCanceledException)
        {
            return " It could not be kept: the worker stopped.";
        }
        catch (Exception exception)
        {
            // No exception of the store may end the connection.
            return $" It could not be kept: {UntrustedText.Shorten(exception.Message)}";
        }
    }

    private void Watch()
    {
        foreach (LineConnection connection in _connections.Snapshot())
        {
            connection.CheckTime();
        }
    }

    private void EndIfLast()
    {
        if (Volatile.Read(ref _closing) && _connections.Count == 0)
        {
            _allEnded.TrySetResult();
        }
    }
}
