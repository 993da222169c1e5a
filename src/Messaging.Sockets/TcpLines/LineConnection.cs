using System.IO.Pipelines;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>
/// One connection. A loop fills a pipe from it, another splits the bytes into lines and hands them in, and a third writes answers if acknowledgements are on.
/// The limit of the pipe is the backpressure: while no slot is free, nothing more is read. This file has the life cycle and the time limits; the other one
/// reads.
/// </summary>
internal sealed partial class LineConnection : IDisposable
{
    // Two of the largest reads: one is split into lines while the next one arrives.
    private const int PipeBytes = 128 << 10;

    internal static readonly PipeOptions Pipes = new(
        // Both loops run on the thread that has the bytes: a switch of threads costs more than splitting them.
        readerScheduler: PipeScheduler.Inline,
        writerScheduler: PipeScheduler.Inline,
        pauseWriterThreshold: PipeBytes,
        resumeWriterThreshold: PipeBytes / 2,
        minimumSegmentSize: SmallestRead,
        useSynchronizationContext: false);

    // After the last answer the sender may still be sending. Closing immediately would reset the connection, and the reset could overtake the answer (RFC 1122
    // section 4.2.2.13). It is also the time to read answers during a shutdown.
    private static readonly TimeSpan LingerLimit = TimeSpan.FromSeconds(2);

    // 8 MiB: more than a socket holds by default, and an end for a sender that never pauses.
    private const int MaxLateReads = 2_048;

    private readonly TcpLinesMessageSource _source;
    private readonly TcpLinesSourceOptions _options;
    private readonly ILineTransport _transport;
    private readonly MessageSplitter _splitter;
    private readonly CancellationTokenSource _end = new();
    private readonly TaskCompletionSource _read = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _settled = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private AnswerWriter? _answers;

    // Starts at 1 for the reading itself, so that no line settled during reading counts as the last.
    private int _unsettled = 1;
    private string? _closeReason;
    private FirstBytesStream? _first;

    // True while the connection waits for the sender, since _since. Written by the reading loop, read by the watch.
    private bool _waits = true;
    private long _since;

    public LineConnection(TcpLinesMessageSource source, ILineTransport transport)
    {
        _source = source;
        _options = source.Options;
        _transport = transport;
        Peer = transport.Peer;
        _splitter = new MessageSplitter(_options.Framing, _options.MaxLineBytes, source.Buffers);
        _since = source.Time.GetTimestamp();
    }

    /// <summary>The sender.</summary>
    public IPEndPoint Peer { get; }

    /// <summary>The sender's address, by which connections are counted.</summary>
    public IPAddress Address => Peer.Address.IsIPv4MappedToIPv6 ? Peer.Address.MapToIPv4() : Peer.Address;

    /// <summary>Lines found so far; blank and too long ones count.</summary>
    public long Lines => _splitter.Number;

    /// <summary>Why TLS failed; null where it did not.</summary>
    public string? TlsFault { get; private set; }

    /// <summary>Completes when all bytes read are handed in and nothing more will be read.</summary>
    public Task Read => _read.Task;

    // A sender that does not read its answers must not delay a shutdown: it sends the lines again.
    private TimeSpan AnswerLimit => _source.StopReading.IsCancellationRequested && LingerLimit < _options.IdleTimeout ? LingerLimit : _options.IdleTimeout;

    /// <summary>Serves the connection to its end. Never throws.</summary>
    public async Task RunAsync(IMessageIntake intake)
    {
        string reason;
        try
        {
            reason = await ServeAsync(intake);
        }
        catch (Exception exception) when (exception is IOException or SocketException or OperationCanceledException or ObjectDisposedException)
        {
            reason = CloseReason.Reset;
        }
        catch (AuthenticationException exception)
        {
            reason = CloseReason.Tls;
            TlsFault = TlsCertificate.Describe(exception, _first!.First);
        }
        catch (Exception exception)
        {
            reason = CloseReason.Reset;
            TcpLinesLog.Defect(_source.Logger, exception, _source.Route, Peer);
        }

        _read.TrySetResult();

        // Buffers are returned before the source counts the connection as ended, because a source without connections is closed. The transport is closed last,
        // so that the end is counted and logged before the sender sees it.
        _splitter.Dispose();
        _source.Ended(this, _closeReason ?? reason);
        _transport.Dispose();
    }

    /// <summary>Ends the connection now; its lines in flight continue.</summary>
    public void Abort(string reason)
    {
        Interlocked.CompareExchange(ref _closeReason, reason, null);

        // Asynchronously, because the callbacks are the loops of the connection.
        _ = _end.CancelAsync();
    }

    /// <summary>Ends the connection when the sender takes too long; called by the source's watch.</summary>
    public void CheckTime()
    {
        if (_answers is { } answers)
        {
            if (answers.Blocked > AnswerLimit)
            {
                Abort(CloseReason.AcknowledgementTimeout);
                return;
            }

            if (Volatile.Read(ref _unsettled) > 1)
            {
                // The sender waits for the worker.
                Volatile.Write(ref _since, _source.Time.GetTimestamp());
                return;
            }
        }

        bool isFirst = Lines == 0;
        if (Volatile.Read(ref _waits) && _source.Time.GetElapsedTime(Volatile.Read(ref _since)) > (isFirst ? _options.FirstLineTimeout : _options.IdleTimeout))
        {
            Abort(isFirst ? CloseReason.FirstLineTimeout : CloseReason.IdleTimeout);
        }
    }

    /// <returns>False when the connection has ended.</returns>
    public bool Acknowledge(long line, in Settlement settlement)
    {
        bool told = !_end.IsCancellationRequested && _answers!.Add(line, settlement);
        EndOne();
        return told;
    }

    public void Dispose()
    {
        _transport.Dispose();
        _splitter.Dispose();
    }

    private void EndOne()
    {
        if (Interlocked.Decrement(ref _unsettled) == 0)
        {
            _settled.TrySetResult();
        }
    }

    private async Task<string> ServeAsync(IMessageIntake intake)
    {
        Stream raw = _transport.Stream;
        await using FirstBytesStream? first = _source.HasTls ? new FirstBytesStream(raw) : null;
        _first = first;
        await using SslStream? tls = first is null ? null : new SslStream(first, leaveInnerStreamOpen: true);
        if (tls is not null && !await TryAuthenticateAsync(tls, first!))
        {
            return CloseReason.Stopping;
        }

        Stream stream = tls ?? raw;
        Task answering = Task.CompletedTask;
        if (_options.Acknowledge)
        {
            _answers = new AnswerWriter(stream, _source.Buffers, _source.Time);
            answering = AnswerAsync(_answers);
        }

        try
        {
            string reason = await ReadToEndAsync(stream, intake);
            EndOne();
            if (ReferenceEquals(reason, CloseReason.Reset))
            {
                // The sender is gone: the connection ends, and its lines in flight continue.
                Abort(CloseReason.Reset);
            }
            else if (_answers is not null)
            {
                await _settled.Task.WaitAsync(_end.Token);
            }

            return reason;
        }
        finally
        {
            _answers?.Complete();
            await answering;
            await SayGoodbyeAsync(tls);
        }
    }

    /// <returns>False when the worker stops, or the sender began with a PROXY header; no line was read by then.</returns>
    private async ValueTask<bool> TryAuthenticateAsync(SslStream tls, FirstBytesStream first)
    {
        using CancellationTokenSource handshake = CancellationTokenSource.CreateLinkedTokenSource(_end.Token, _source.StopReading);
        try
        {
            await tls.AuthenticateAsServerAsync(_source.TlsOptions, handshake.Token);
            return true;
        }
        catch (OperationCanceledException) when (_source.StopReading.IsCancellationRequested && !_end.IsCancellationRequested)
        {
            return false;
        }
        catch (Exception exception) when (exception is AuthenticationException or IOException && ForeignProtocol.IsProxyHeaderInsteadOfTls(first.First))
        {
            _source.Foreign(this, CloseReason.ProxyProtocol);
            Abort(CloseReason.ProxyProtocol);
            return false;
        }
    }

    private async Task AnswerAsync(AnswerWriter answers)
    {
        try
        {
            await answers.RunAsync(_end.Token);
        }
        catch (Exception exception) when (exception is IOException or SocketException or OperationCanceledException or ObjectDisposedException)
        {
            Abort(CloseReason.Reset);
        }
    }

    /// <summary>Shuts down the sending side, and waits briefly for the sender to close its own.</summary>
    private async Task SayGoodbyeAsync(SslStream? tls)
    {
        if (_end.IsCancellationRequested)
        {
            return;
        }

        byte[] discarded = new byte[4_096];
        long bytes = 0;
        long lines = 0;
        using CancellationTokenSource limit = new(LingerLimit, _source.Time);
        await using CancellationTokenRegistration ending = _end.Token.UnsafeRegister(static state => ((CancellationTokenSource)state!).Cancel(), limit);
        try
        {
            if (tls is not null)
            {
                await tls.ShutdownAsync().WaitAsync(limit.Token);
            }

            _transport.EndSending();
            while (Count(await _transport.Stream.ReadAsync(discarded, limit.Token)))
            {
            }
        }
        catch (Exception exception) when (exception is IOException or SocketException or OperationCanceledException or ObjectDisposedException)
        {
            // The sender is gone or still sending; it has every answer it will get.
        }

        // The limit may end before the first read has begun: then what has arrived is still in the socket.
        try
        {
            for (int i = 0; i < MaxLateReads && _transport.Stream is NetworkStream { DataAvailable: true } stream && Count(stream.Read(discarded)); i++)
            {
            }
        }
        catch (Exception exception) when (exception is IOException or SocketException or ObjectDisposedException)
        {
            // The sender has reset the connection.
        }

        // Over TLS the bytes are ciphertext, and some of them are the sender's goodbye.
        if (bytes > 0 && _answers is null && tls is null)
        {
            _source.Unread(this, Math.Max(lines, 1), bytes);
        }

        bool Count(int read)
        {
            bytes += read;
            lines += discarded.AsSpan(0, read).Count((byte)'\n');
            return read > 0;
        }
    }
}
