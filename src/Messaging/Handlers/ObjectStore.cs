using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Unicode;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Frames;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Handlers;

/// <summary>
/// The sink of a handler's route: stores an object and turns the sink's outcome into the settlement of the message. It reports the outcome
/// to the route's breaker and metrics, so that an outage of the sink pauses the route. Threads: any number concurrently.
/// </summary>
public sealed class ObjectStore
{
    /// <summary>The reason of a dead letter whose key no sink takes.</summary>
    public const string InvalidKeyReason = "invalid-key";

    /// <summary>The reason of a dead letter whose key holds other bytes.</summary>
    public const string CollisionReason = "key-collision";

    /// <summary>The reason of a dead letter whose object the sink never accepts.</summary>
    public const string RejectedReason = "sink-rejected";

    private const int MaxKeyBytes = 1_024;

    private readonly IObjectSink _sink;
    private readonly string _name;
    private readonly CircuitBreaker _breaker;
    private readonly RouteMetrics _metrics;

    /// <param name="sink">The route's sink.</param>
    /// <param name="name">The sink's name, for error texts.</param>
    /// <param name="breaker">The route's breaker.</param>
    /// <param name="metrics">The route's metrics.</param>
    internal ObjectStore(IObjectSink sink, string name, CircuitBreaker breaker, RouteMetrics metrics)
    {
        _sink = sink;
        _name = name;
        _breaker = breaker;
        _metrics = metrics;
    }

    /// <inheritdoc cref="StoreAsync(ReadOnlyMemory{byte}, ReadOnlyMemory{byte}, CancellationToken)" path="/*[not(self::param)]"/>
    /// <param name="key">The object's key: 1 to 1,024 bytes in UTF-8.</param>
    /// <param name="body">The bytes to store; may be empty. Borrowed until the task completes.</param>
    /// <param name="cancellationToken">The token that the handler was passed.</param>
    public ValueTask<Settlement> StoreAsync(string key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
        StoreAsync(key, body, ObjectProperties.None, cancellationToken);

    /// <inheritdoc cref="StoreAsync(ReadOnlyMemory{byte}, ReadOnlyMemory{byte}, ObjectProperties, CancellationToken)" path="/*[not(self::param)]"/>
    /// <param name="key">The object's key: 1 to 1,024 bytes in UTF-8.</param>
    /// <param name="body">The bytes to store; may be empty. Borrowed until the task completes.</param>
    /// <param name="properties">The object's metadata and tags.</param>
    /// <param name="cancellationToken">The token that the handler was passed.</param>
    public ValueTask<Settlement> StoreAsync(string key, ReadOnlyMemory<byte> body, ObjectProperties properties, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(key);
        return StoreAsync(Encoding.UTF8.GetBytes(key), body, properties, cancellationToken);
    }

    /// <summary>Stores one object. The same key with the same bytes may be stored any number of times; other bytes never replace an object.</summary>
    /// <param name="key">The object's key: UTF-8, 1 to 1,024 bytes. Borrowed until the task completes.</param>
    /// <param name="body">The bytes to store; may be empty. Borrowed until the task completes.</param>
    /// <param name="cancellationToken">The token that the handler was passed.</param>
    /// <returns>
    /// What the handler returns: Complete only when the object is stored; a dead letter <c>invalid-key</c>, <c>key-collision</c> or
    /// <c>sink-rejected</c>; or a fault of the sink, during which the message is held or abandoned.
    /// </returns>
    public ValueTask<Settlement> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
        StoreAsync(key, body, ObjectProperties.None, cancellationToken);

    /// <summary>Stores one object with metadata and tags, which do not identify it: a duplicate keeps those that it has.</summary>
    /// <param name="key">The object's key: UTF-8, 1 to 1,024 bytes. Borrowed until the task completes.</param>
    /// <param name="body">The bytes to store; may be empty. Borrowed until the task completes.</param>
    /// <param name="properties">The object's metadata and tags. The sink adapts what its store cannot carry, and reports what is lost.</param>
    /// <param name="cancellationToken">The token that the handler was passed.</param>
    /// <returns>As without metadata and tags.</returns>
    /// <exception cref="NotSupportedException">There are some, and the route's sink cannot keep any. Nothing was stored.</exception>
    public ValueTask<Settlement> StoreAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, ObjectProperties properties, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(properties);
        if (key.Length is 0 or > MaxKeyBytes || !Utf8.IsValid(key.Span))
        {
            return ValueTask.FromResult(
                Settlement.DeadLetter(
                    InvalidKeyReason, $"The key {UntrustedText.Shorten(key.Span)} has {key.Length:N0} bytes; a key is UTF-8 of 1 to {MaxKeyBytes:N0} bytes."));
        }

        long started = RouteMetrics.StoreStarts();
        ValueTask<SinkResult> storing;
        try
        {
            storing = properties.IsEmpty ? _sink.StoreAsync(key, body, cancellationToken) : _sink.StoreAsync(key, body, properties, cancellationToken);
        }
        catch (Exception exception) when ((properties.IsEmpty || exception is not NotSupportedException)
            && TrySettle(exception, started, cancellationToken, out Settlement failed))
        {
            return ValueTask.FromResult(failed);
        }

        return storing.IsCompletedSuccessfully
            ? ValueTask.FromResult(Settle(storing.Result, key.Span, started))
            : AwaitAsync(storing, key, started, cancellationToken);
    }

    /// <summary>
    /// Turns the outcome of a store into a settlement, and reports it to the breaker and the metrics: for terminators that call the sink themselves.
    /// </summary>
    /// <param name="result">The outcome.</param>
    /// <param name="key">The object's key.</param>
    /// <param name="started">From <see cref="RouteMetrics.StoreStarts"/>, before the sink was called.</param>
    public Settlement Settle(in SinkResult result, ReadOnlySpan<byte> key, long started)
    {
        _metrics.StoreEnded(started);
        if (result.Status == SinkStatus.AlreadyStored)
        {
            _metrics.MessageDuplicate();
        }

        Settlement settlement = result.Status switch
        {
            SinkStatus.Stored or SinkStatus.AlreadyStored => Settlement.Complete,
            SinkStatus.Collision => Settlement.DeadLetter(
                CollisionReason, $"The key {UntrustedText.Shorten(key)} is already in use. {result.Detail ?? "The object with this key holds other bytes."}"),
            SinkStatus.Rejected => Settlement.DeadLetter(RejectedReason, result.Detail ?? $"The sink {_name} rejects the object."),
            SinkStatus.Refused => Settlement.Refused(result.Detail ?? $"The sink {_name} denies the worker access.") with { IsReported = true },
            SinkStatus.Transient =>
                Settlement.Transient(result.Detail ?? $"The sink {_name} failed.", result.RetryAfter, !result.Exhausted) with { IsReported = true },
            _ => default,
        };
        if (!settlement.IsDecided)
        {
            string defect = $"returned the status {result.Status}, which decides nothing: "
                + "StoreAsync must return SinkResult.Stored only for a stored object, and otherwise what failed.";
            return _breaker.SinkThrew(_name, new PartDefectException($"the sink {_name}", defect), result.IsShared);
        }

        if (!result.IsShared)
        {
            _breaker.Report(settlement.Fault, settlement.Description!);
        }

        return settlement;
    }

    /// <summary>
    /// Turns an exception of the sink into a settlement, and reports it to the breaker and the metrics: for terminators that call the sink themselves. An
    /// exception is the sink's fault, not the message's, unless its type or the route's rules say otherwise.
    /// </summary>
    /// <param name="exception">What the sink threw.</param>
    /// <param name="started">As above.</param>
    /// <param name="cancellationToken">The message's token.</param>
    /// <param name="settlement">The settlement.</param>
    /// <returns>False when the token was cancelled: that may be the cause, so the caller passes the exception on.</returns>
    public bool TrySettle(Exception exception, long started, CancellationToken cancellationToken, out Settlement settlement)
    {
        settlement = default;
        if (cancellationToken.IsCancellationRequested)
        {
            return false;
        }

        _metrics.StoreEnded(started);
        settlement = _breaker.SinkThrew(_name, exception);
        return true;
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    private async ValueTask<Settlement> AwaitAsync(ValueTask<SinkResult> storing, ReadOnlyMemory<byte> key, long started, CancellationToken cancellationToken)
    {
        SinkResult result;
        try
        {
            result = await storing;
        }
        catch (Exception exception) when (TrySettle(exception, started, cancellationToken, out Settlement failed))
        {
            return failed;
        }

        return Settle(result, key.Span, started);
    }
}
