using System.Diagnostics.Metrics;
namespace Quayside.Messaging.Telemetry;

/// <summary>
/// Counts the calls of one route, including retries and empty receives, which services bill too. A call for which no connection was made is not
/// counted. Others that failed are, although some may never have arrived. Threads: any; counting takes no lock, and allocates nothing after an operation's
/// first call.
/// </summary>
internal sealed class ApiCalls
{
    private static readonly Meter Meter = new(RouteMetrics.SourceName);

    private readonly Lock _gate = new();

    // By the index of the operation; replaced under the lock when an operation has no counter yet.
    private volatile ApiCounter?[] _counters = [];

    /// <summary>The operations called so far, by service and then in the order they were declared.</summary>
    public IReadOnlyList<ApiOperation> Operations =>
        [.. Used().Select(counter => counter.Operation).OrderBy(operation => operation.Service, StringComparer.Ordinal).ThenBy(operation => operation.Index)];

    /// <summary>Calls sent of one operation.</summary>
    public long Sent(ApiOperation operation) => CounterOf(operation).Sent;

    /// <summary>Counts a call that was sent.</summary>
    public void Sending(ApiOperation operation) => CounterOf(operation).Add();

    /// <summary>
    /// Counts a call that failed with an exception, unless no connection was made: then it cannot have reached the service, which bills nothing.
    /// </summary>
    /// <param name="operation">The operation.</param>
    /// <param name="exception">Why it has no answer.</param>
    public void Failed(ApiOperation operation, Exception exception)
    {
        if (!ConnectionFault.IsBeforeTheRequest(exception))
        {
            Sending(operation);
        }
    }

    /// <summary>Publishes the counts of a route as observable metrics.</summary>
    internal void Observe(string route)
    {
        KeyValuePair<string, object?> tag = new("worker.route", route);
        Meter.CreateObservableCounter(
            "worker.api.calls", () => Measure(tag), "{call}", "Calls sent to services that charge for them, retries and empty receives included");
    }

    private IEnumerable<ApiCounter> Used() => _counters.OfType<ApiCounter>().Where(counter => counter.Sent > 0);

    private ApiCounter CounterOf(ApiOperation operation)
    {
        ApiCounter?[] counters = _counters;
        int index = operation.Index;
        return (uint)index < (uint)counters.Length && counters[index] is { } counter ? counter : AddCounter(operation);
    }

    private ApiCounter AddCounter(ApiOperation operation)
    {
        lock (_gate)
        {
            ApiCounter?[] counters = _counters;
            int index = operation.Index;
            if (index < counters.Length && counters[index] is { } other)
            {
                return other;
            }

            // A copy, so that no reader sees the array change; both arrays hold the same counters.
            ApiCounter?[] more = new ApiCounter?[Math.Max(index + 1, counters.Length)];
            counters.CopyTo(more, 0);
            ApiCounter added = new(operation);
            more[index] = added;
            _counters = more;
            return added;
        }
    }

    private IEnumerable<Measurement<long>> Measure(KeyValuePair<string, object?> route) => Used().Select(counter => new Measurement<long>(
        counter.Sent,
        route,
        new KeyValuePair<string, object?>("rpc.service", counter.Operation.Service),
        new KeyValuePair<string, object?>("rpc.method", counter.Operation.Name)));
}

/// <summary>The calls of one operation. Threads: any.</summary>
internal sealed class ApiCounter(ApiOperation operation)
{
    private long _sent;

    public ApiOperation Operation { get; } = operation;

    public long Sent => Volatile.Read(ref _sent);

    public void Add() => Interlocked.Increment(ref _sent);
}

/// <summary>
/// An operation of a service that may charge for it. The integration that calls it declares it once, in a static field; two with
/// the same name are counted separately. Threads: any.
/// </summary>
/// <param name="service">The service, as reports name it, such as <c>S3</c>.</param>
/// <param name="name">The operation, as in the service's API reference, such as <c>PutObject</c>.</param>
internal sealed class ApiOperation(string service, string name)
{
    private static int _declared = -1;

    /// <summary>The service.</summary>
    public string Service { get; } = service;

    /// <summary>The operation.</summary>
    public string Name { get; } = name;

    /// <summary>
    /// True for a call that finds a queue or bucket of the route. Their number does not depend on the number of messages, so reports list them separately.
    /// </summary>
    public bool IsLookup { get; init; }

    /// <summary>The index of its counters.</summary>
    internal int Index { get; } = Interlocked.Increment(ref _declared);

    /// <inheritdoc/>
    public override string ToString() => $"{Service} {Name}";
}
