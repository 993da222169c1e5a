using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Http.Source;

/// <summary>
/// Receives messages over HTTP. The caller keeps a message until the answer, which follows the settlement, so the source itself redelivers nothing. An
/// abandoned message is answered with 503; <see cref="HttpRedeliveries"/> counts its deliveries when the caller sends it again. Threads: any.
/// </summary>
internal sealed class HttpMessageSource : IMessageSource
{
    private static readonly Backoff DeadLetterBackoff = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(30));

    // Routes begin milliseconds after the server, unless another service of the host is slow to start.
    private static readonly TimeSpan MaxStart = TimeSpan.FromSeconds(5);

    private readonly string _name;
    private readonly HttpSourceRegistry _registry;
    private readonly IDeadLetterStore _deadLetters;
    private readonly RouteMetrics? _metrics;
    private readonly ThrottlingLogger _logger;
    private readonly BoundedPool<HttpMessage> _messages;
    private readonly CancellationTokenSource _stopping = new();
    private readonly TaskCompletionSource _answered = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private readonly TaskCompletionSource _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private IMessageIntake? _intake;
    private int _requests;
    private int _deadLetterFailures;
    private bool _closing;

    public HttpMessageSource(SourceServices services, HttpSourceOptions options, HttpSourceRegistry registry, BufferPool buffers)
    {
        Route = services.Route;
        Stores = services.Stores;
        Options = options;
        Time = services.Time;
        Buffers = buffers;
        Receiving = new ByteBudget(options.MaxReceivingBytes);
        Headers = new KeptHeaders(options.Headers);
        Redeliveries = new HttpRedeliveries(services.Time);
        InFlightPerRequest = Math.Min(options.MaxInFlightPerRequest, services.Concurrency);
        _name = services.Name;
        _registry = registry;
        _deadLetters = services.DeadLetters;
        _metrics = services.Metrics;
        _logger = new ThrottlingLogger(services.Loggers.CreateLogger<HttpMessageSource>(), services.Time, TimeSpan.FromSeconds(5));
        _messages = new BoundedPool<HttpMessage>(services.Concurrency);
        registry.Add(Route, this);
    }

    public string Route { get; }

    public HttpSourceOptions Options { get; }

    /// <summary>False on a route without a sink.</summary>
    public bool Stores { get; }

    public TimeProvider Time { get; }

    public BufferPool Buffers { get; }

    /// <summary>Bytes of bodies that have arrived and are not handed in yet, and of the results of NDJSON requests.</summary>
    public ByteBudget Receiving { get; }

    /// <summary>The headers that become attributes.</summary>
    public KeptHeaders Headers { get; }

    /// <summary>Messages that were answered 503 and may be sent again.</summary>
    public HttpRedeliveries Redeliveries { get; }

    /// <summary>The maximum number of lines of one request in flight.</summary>
    public int InFlightPerRequest { get; }

    /// <summary>Cancelled when receiving stops.</summary>
    public CancellationToken Stopping => _stopping.Token;

    /// <summary>Waits, for five seconds at most, until the source accepts messages: the server listens before the routes receive.</summary>
    public Task WaitForStartAsync() => _started.Task.IsCompleted ? Task.CompletedTask : Task.WhenAny(_started.Task, Task.Delay(MaxStart, Time));

    /// <summary>Requests that are being read or wait for their answer.</summary>
    public int Requests => Volatile.Read(ref _requests);

    /// <summary>Checks nothing: the web server checks its port itself.</summary>
    public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
    {
        TaskCompletionSource stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await using CancellationTokenRegistration registration =
            stopReceiving.UnsafeRegister(static state => ((TaskCompletionSource)state!).TrySetResult(), stopped);
        Volatile.Write(ref _intake, intake);
        _started.TrySetResult();
        await stopped.Task;
        await _stopping.CancelAsync();
    }

    /// <summary>Waits until every request has been answered.</summary>
    public async Task CloseAsync(CancellationToken cancellationToken)
    {
        await _stopping.CancelAsync();

        // Sets the flag before it reads the count, while EndRequest lowers the count before it reads the flag: one of the two sees the other.
        Interlocked.Exchange(ref _closing, true);
        if (Requests == 0)
        {
            _answered.TrySetResult();
        }

        try
        {
            await _answered.Task.WaitAsync(cancellationToken);
        }
        catch (OperationCanceledException)
        {
            HttpLog.AnswersLeft(_logger, Route, Requests);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync();
    }

    /// <summary>Counts a request until <see cref="EndRequest"/>.</summary>
    public void BeginRequest() => Interlocked.Increment(ref _requests);

    public void EndRequest()
    {
        if (Interlocked.Decrement(ref _requests) == 0 && Volatile.Read(ref _closing))
        {
            _answered.TrySetResult();
        }
    }

    public bool TryReserve(out SlotLease slot, [NotNullWhen(false)] out HttpRefusal? refusal)
    {
        slot = default;
        IMessageIntake? intake = Volatile.Read(ref _intake);
        if (_stopping.IsCancellationRequested)
        {
            refusal = HttpRefusal.Stopping;
        }
        else if (intake is null)
        {
            refusal = HttpRefusal.Starting;
        }
        else
        {
            IntakeAnswer answer = intake.TryReserve(out slot);
            refusal = answer == IntakeAnswer.Reserved ? null : HttpRefusal.Of(answer);
        }

        return refusal is null;
    }

    /// <summary>Checks for a free slot before the body is read: callers are refused early, and slow ones hold no slot.</summary>
    public bool MayReceive([NotNullWhen(false)] out HttpRefusal? refusal)
    {
        using (TryReserve(out SlotLease slot, out refusal) ? slot : default)
        {
            return refusal is null;
        }
    }

    /// <summary>Waits for a slot; call it only after <see cref="TryReserve"/> succeeded for the same request.</summary>
    public ValueTask<SlotLease> ReserveAsync(CancellationToken cancellationToken) => _intake!.ReserveAsync(1, 1, cancellationToken);

    /// <summary>Hands a message in on a reserved slot. The caller awaits its settlement and then calls <see cref="Return"/>.</summary>
    /// <param name="slot">A lease of one slot, which the caller disposes.</param>
    /// <param name="body">The bytes, which the message then owns.</param>
    /// <param name="givenId">The caller's id, or null.</param>
    /// <param name="line">The line of an NDJSON request, from 1; 0 for a single body.</param>
    /// <param name="headers">The request's headers, which may carry the caller's trace context.</param>
    /// <param name="attributes">Those of them that are kept.</param>
    public HttpMessage HandIn(
        SlotLease slot, PooledBuffer body, string? givenId, int line, IHeaderDictionary headers, IReadOnlyList<KeyValuePair<string, string>> attributes)
    {
        if (!_messages.TryTake(out HttpMessage? message))
        {
            message = new HttpMessage(this);
        }

        message.Open(
            body, givenId, line, attributes, Time.GetUtcNow(),
            MessageSpans.IsListening ? MessageSpans.ParseContext(headers.TraceParent, headers.TraceState) : default);
        slot.Accept(message);
        return message;
    }

    /// <summary>Returns a settled message to the pool; the caller must not use it afterwards.</summary>
    public void Return(HttpMessage message)
    {
        message.Clear();
        _messages.Return(message);
    }

    /// <summary>Writes a dead letter. If that fails, the message is abandoned, and its caller keeps it.</summary>
    public async Task DeadLetterAsync(HttpMessage message, Settlement settlement)
    {
        Settlement outcome = settlement;
        try
        {
            DeadLetter letter = DeadLetter.Create(message, settlement, _name, Route, Time.GetUtcNow());
            await _deadLetters.WriteAsync(letter, message.Body, CancellationToken.None);
            Volatile.Write(ref _deadLetterFailures, 0);
            _metrics?.DeadLetterWritten(settlement.Reason, settlement.ExceptionType);
        }
        catch (Exception exception)
        {
            // No exception of the store may lose the message.
            TimeSpan delay = DeadLetterBackoff.After(Interlocked.Increment(ref _deadLetterFailures));
            outcome = Settlement.Abandon(delay, "The message can never be stored, and its dead letter could not be written.");
            _metrics?.MessageReturned();
            HttpLog.DeadLetterFailed(_logger, Route, $"{exception.GetType().Name}: {UntrustedText.Shorten(exception.Message)}", DurationText.Of(delay));
        }

        message.Conclude(outcome);
    }
}

/// <summary>Log messages of the HTTP source: event ids 3050 to 3099.</summary>
internal static partial class HttpLog
{
    [LoggerMessage(3050, LogLevel.Warning,
        "Route {Route}: a dead letter could not be written ({Error}); "
            + "the caller is asked to send the message again after {Delay}. Check the folder DeadLetters:Path")]
    public static partial void DeadLetterFailed(ILogger logger, string route, string error, string delay);

    [LoggerMessage(3051, LogLevel.Warning,
        "Route {Route}: {Count} request(s) were not answered before the shutdown ended; their callers must send them again")]
    public static partial void AnswersLeft(ILogger logger, string route, int count);
}
