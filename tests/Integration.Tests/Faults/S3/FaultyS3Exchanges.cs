using System.Collections.Concurrent;
using System.Globalization;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Integration.Tests.Faults.S3;

/// <summary>Runs each request through the script: carries it out, records it, and sends as much of the answer as the script allows.</summary>
internal sealed class FaultyS3Exchanges
{
    private static readonly TimeSpan DripInterval = TimeSpan.FromSeconds(1);

    private readonly TimeProvider _time;
    private readonly S3Service _service;
    private readonly ConcurrentQueue<Exception> _defects = new();
    private readonly int[] _numbers = new int[Enum.GetValues<S3Operation>().Length];
    private readonly CancellationTokenSource _delaysEnd = new();
    private int _inFlight;

    public FaultyS3Exchanges(TimeProvider time)
    {
        _time = time;
        _service = new S3Service(Objects, time);
        History = new S3History(time);
        Objects.CreateBucket("archive");
    }

    public S3Objects Objects { get; } = new();

    public S3History History { get; }

    public FaultScript Script { get => Volatile.Read(ref field); set => Volatile.Write(ref field, value); } = FaultScript.Empty;

    public int InFlight => Volatile.Read(ref _inFlight);

    public void EndDelays() => _delaysEnd.Cancel();

    public void ThrowIfBroken()
    {
        if (!_defects.IsEmpty)
        {
            throw new AggregateException("FaultyS3 itself failed.", _defects);
        }
    }

    public async Task HandleAsync(HttpContext context)
    {
        Interlocked.Increment(ref _inFlight);
        try
        {
            await ExchangeAsync(context);
        }
        catch (Exception exception) when (context.RequestAborted.IsCancellationRequested && exception is IOException or OperationCanceledException)
        {
            // The client or the server closed the connection during the answer; the history holds the outcome.
        }
        catch (Exception exception)
        {
            _defects.Enqueue(exception);
            context.Abort();
        }
        finally
        {
            Interlocked.Decrement(ref _inFlight);
        }
    }

    private async Task ExchangeAsync(HttpContext context)
    {
        S3Request request;
        try
        {
            request = await S3Request.ReadAsync(context);
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            Remember(S3Request.Parse(context, []), 0, S3Fault.None, S3Outcome.ClientLeft, S3Answer.None);
            context.Abort();
            return;
        }

        int number = Interlocked.Increment(ref _numbers[(int)request.Operation]);
        FaultRule? rule = Script.For(request.Operation, number);
        S3Fault fault = rule?.Fault ?? S3Fault.None;
        if (rule?.Delay > TimeSpan.Zero)
        {
            // Not tied to the client: S3 continues a request whose sender has disconnected.
            await Task.Delay(rule.Delay, _time, _delaysEnd.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        S3Error? error = S3Error.Of(fault);
        S3Answer answer = fault == S3Fault.HangBeforeCommit ? S3Answer.None
            : error is not null ? S3Answer.Failure(error, request)
            : _service.Execute(request, corrupt: fault == S3Fault.Corrupt);
        S3Outcome outcome = fault switch
        {
            S3Fault.HangBeforeCommit or S3Fault.CommitThenHang => S3Outcome.Hung,
            S3Fault.CommitThenReset => S3Outcome.Reset,
            S3Fault.CommitThenCut => S3Outcome.Cut,
            S3Fault.CommitThenDrip => S3Outcome.Dripped,
            _ => S3Outcome.Answered,
        };
        Remember(request, number, fault, outcome, answer);
        await SendAsync(context, answer, outcome);
    }

    private async Task SendAsync(HttpContext context, S3Answer answer, S3Outcome outcome)
    {
        bool isHead = HttpMethods.IsHead(context.Request.Method);
        switch (outcome)
        {
            case S3Outcome.Answered:
                await AnswerAsync(context.Response, answer, isHead);
                return;
            case S3Outcome.Hung:
                await Task.Delay(Timeout.InfiniteTimeSpan, context.RequestAborted).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                break;
            case S3Outcome.Cut:
                byte[] bytes = answer.ToBytes(isHead);
                await SendPiecesAsync(context, bytes.AsMemory(0, bytes.Length / 2), bytes.Length, TimeSpan.Zero);
                break;
            case S3Outcome.Dripped:
                await SendPiecesAsync(context, answer.ToBytes(isHead), 1, DripInterval);
                break;
        }

        Reset(context);
    }

    private async Task AnswerAsync(HttpResponse response, S3Answer answer, bool isHead)
    {
        response.StatusCode = answer.Status;
        response.Headers.Date = _time.GetUtcNow().ToString("R", CultureInfo.InvariantCulture);
        response.Headers["x-amz-request-id"] = Guid.NewGuid().ToString("n")[..16].ToUpperInvariant();
        foreach ((string name, string value) in answer.Headers)
        {
            response.Headers[name] = value;
        }

        if (answer.Status != StatusCodes.Status204NoContent)
        {
            response.ContentLength = answer.Body.Length;
        }

        if (!isHead && answer.Body.Length > 0)
        {
            await response.Body.WriteAsync(answer.Body, response.HttpContext.RequestAborted);
        }
    }

    /// <summary>Writes directly to the socket: Kestrel would not send an answer that is invalid on purpose.</summary>
    private static async Task SendPiecesAsync(HttpContext context, ReadOnlyMemory<byte> bytes, int pieceSize, TimeSpan interval)
    {
        Socket socket = SocketOf(context);
        try
        {
            for (; bytes.Length > 0; bytes = bytes[Math.Min(pieceSize, bytes.Length)..])
            {
                await Task.Delay(interval, context.RequestAborted);
                await socket.SendAsync(bytes[..Math.Min(pieceSize, bytes.Length)], context.RequestAborted);
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The client gave up.
        }
    }

    private void Remember(S3Request request, int number, S3Fault fault, S3Outcome outcome, S3Answer answer)
    {
        byte[] payload = request.Operation == S3Operation.PutObject ? PutPayload.Decode(request).Bytes : request.Body;
        string hash = payload.Length == 0 ? "" : S3Request.Sha256Of(payload);
        Dictionary<string, string> headers = request.Headers.Where(header => header.Key != "authorization").ToDictionary(StringComparer.Ordinal);
        History.Add((sequence, at) => new S3Exchange(
            sequence, at, request.Operation, number, request.Bucket, request.Key, fault, outcome,
            answer.Status, answer.ErrorCode, answer.Committed, payload.Length, hash, headers));
    }

    private static void Reset(HttpContext context)
    {
        Socket socket = SocketOf(context);
        try
        {
            // Closing with a linger time of zero sends RST; Kestrel's own abort would send FIN first.
            socket.LingerState = new LingerOption(enable: true, seconds: 0);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The client closed the connection first.
        }

        socket.Dispose();
        context.Abort();
    }

    private static Socket SocketOf(HttpContext context) => context.Features.GetRequiredFeature<IConnectionSocketFeature>().Socket;
}
