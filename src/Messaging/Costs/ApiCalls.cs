using System.Diagnostics.Metrics;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Costs;

/// <summary>
/// Counts the calls of one route, including retries and empty receives, which services bill too. A call for which no connection was made is not
/// counted. Others that failed are, although some may never have arrived: an estimate errs on the high side. Threads: any; counting takes no lock, and allocates nothing
/// after an operation's first call.
/// </summary>
public sealed class ApiCalls
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

    /// <summary>Requests that an operation's calls are billed as.</summary>
    public long Billed(ApiOperation operation) => CounterOf(operation).Billed;

    /// <summary>Sets the price of an operation on this route. The integration that calls the operation sets it at its creation. Without a price the cost is 0.</summary>
    /// <param name="operation">The operation.</param>
    /// <param name="usdPerMillion">USD per million requests.</param>
    public void SetPrice(ApiOperation operation, double usdPerMillion) => CounterOf(operation).UsdPerMillion = usdPerMillion;

    /// <summary>True when the operation has a price here.</summary>
    public bool HasPrice(ApiOperation operation) => !double.IsNaN(CounterOf(operation).UsdPerMillion);

    /// <summary>Counts a call that was sent.</summary>
    /// <param name="operation">The operation.</param>
    /// <param name="payloadBytes">The size of its payload.</param>
    public void Sending(ApiOperation operation, long payloadBytes = 0) => CounterOf(operation).Add(1, operation.RequestsFor(payloadBytes));

    /// <summary>Counts a call that failed with an exception, unless no connection was made: then it cannot have reached the service, which bills nothing.</summary>
    /// <param name="operation">The operation.</param>
    /// <param name="exception">Why it has no answer.</param>
    /// <param name="payloadBytes">The size of its payload.</param>
    public void Failed(ApiOperation operation, Exception exception, long payloadBytes = 0)
    {
        if (!ConnectionFault.IsBeforeTheRequest(exception))
        {
            Sending(operation, payloadBytes);
        }
    }

    /// <summary>Adds the requests that an answer's payload is billed as, beyond the one that is counted already.</summary>
    public void Answered(ApiOperation operation, long payloadBytes) => CounterOf(operation).Add(0, operation.RequestsFor(payloadBytes) - 1);

    /// <summary>What all calls so far cost, in USD.</summary>
    public double Cost() => Used().Sum(Cost);

    /// <summary>What the calls of one operation cost so far, in USD.</summary>
    public double Cost(ApiOperation operation) => Cost(CounterOf(operation));

    /// <summary>Publishes the counts of a route as observable metrics.</summary>
    internal void Observe(string route)
    {
        KeyValuePair<string, object?> tag = new("worker.route", route);
        Meter.CreateObservableCounter("worker.api.calls", () => Measure(tag), "{call}", "Calls sent to services that charge for them, retries and empty receives included");
        Meter.CreateObservableCounter("worker.cost.estimated", () => new Measurement<double>(Cost(), tag), "USD", "Estimated cost of the calls to services that charge for them, by the prices of the section Costs");
    }

    private static double Cost(ApiCounter counter) => double.IsNaN(counter.UsdPerMillion) ? 0 : counter.Billed * counter.UsdPerMillion / 1_000_000;

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
    private long _billed;
    private double _usdPerMillion = double.NaN;

    public ApiOperation Operation { get; } = operation;

    public long Sent => Volatile.Read(ref _sent);

    public long Billed => Volatile.Read(ref _billed);

    /// <summary>NaN while no price is known.</summary>
    public double UsdPerMillion
    {
        get => Volatile.Read(ref _usdPerMillion);
        set => Volatile.Write(ref _usdPerMillion, value);
    }

    public void Add(long sent, long billed)
    {
        if (sent > 0)
        {
            Interlocked.Add(ref _sent, sent);
        }

        if (billed > 0)
        {
            Interlocked.Add(ref _billed, billed);
        }
    }
}

/// <summary>
/// An operation of a service that may charge for it. The integration that calls it declares it once, in a static field; two with
/// the same name are counted separately. Threads: any.
/// </summary>
/// <param name="service">The service, as reports name it, such as <c>S3</c>.</param>
/// <param name="name">The operation, as in the service's API reference, such as <c>PutObject</c>.</param>
public sealed class ApiOperation(string service, string name)
{
    private static int _declared = -1;

    /// <summary>The service.</summary>
    public string Service { get; } = service;

    /// <summary>The operation.</summary>
    public string Name { get; } = name;

    /// <summary>True for a call that finds a queue or bucket of the route. Their number does not depend on the number of messages, so reports list them separately.</summary>
    public bool IsLookup { get; init; }

    /// <summary>Bytes of payload that are billed as one request, rounded up; 0 when a call is one request whatever its size.</summary>
    public int BilledBytes { get; init; }

    /// <summary>The index of its counters.</summary>
    internal int Index { get; } = Interlocked.Increment(ref _declared);

    /// <summary>Requests that a call with this payload is billed as; at least 1.</summary>
    public long RequestsFor(long payloadBytes) => BilledBytes == 0 ? 1 : Math.Max(1, (payloadBytes + BilledBytes - 1) / BilledBytes);

    /// <inheritdoc/>
    public override string ToString() => $"{Service} {Name}";
}
