using System.Diagnostics.Metrics;
using Messaging.Telemetry;

namespace Messaging.Costs;

/// <summary>
/// Counts the calls of one route as they are sent, repeated and empty ones too: AWS bills them. A call that never arrived is counted and
/// not billed, so an estimate is rather high. Threads: any; allocates nothing.
/// </summary>
public sealed class ApiCalls
{
    // "Every 64 KB chunk of a payload is billed as 1 request" (aws.amazon.com/sqs/pricing). Taken here of the JSON that went over the wire,
    // which is a little longer than the payload in it.
    private const int BilledChunk = 64 * 1024;

    private static readonly Meter Meter = new(RouteMetrics.SourceName);

    private readonly long[] _sent = new long[ApiOperations.All.Count];
    private readonly long[] _billed = new long[ApiOperations.All.Count];

    /// <summary>True when the route's queue is a FIFO queue, which has a price of its own. Set once, before the first call.</summary>
    public bool IsFifo { get; set; }

    /// <summary>Requests that SQS bills for a payload.</summary>
    public static long ChunksOf(long payloadBytes) => Math.Max(1, (payloadBytes + BilledChunk - 1) / BilledChunk);

    /// <summary>Counts a call that is about to be sent.</summary>
    /// <param name="operation">Which.</param>
    /// <param name="payloadBytes">SQS: what it carries. S3 bills a request whatever its size.</param>
    public void Sending(ApiOperation operation, long payloadBytes = 0)
    {
        Interlocked.Increment(ref _sent[(int)operation]);
        Interlocked.Add(ref _billed[(int)operation], ChunksOf(payloadBytes));
    }

    /// <summary>Adds what an answer's payload costs beyond the request that is counted already.</summary>
    public void Answered(ApiOperation operation, long payloadBytes)
    {
        if (ChunksOf(payloadBytes) - 1 is > 0 and var more)
        {
            Interlocked.Add(ref _billed[(int)operation], more);
        }
    }

    /// <summary>Calls sent.</summary>
    public long Sent(ApiOperation operation) => Volatile.Read(ref _sent[(int)operation]);

    /// <summary>Requests billed for them.</summary>
    public long Billed(ApiOperation operation) => Volatile.Read(ref _billed[(int)operation]);

    /// <summary>What all calls so far cost, in USD.</summary>
    public double Cost(CostOptions costs)
    {
        double total = 0;
        foreach (ApiOperation operation in ApiOperations.All)
        {
            total += Cost(operation, costs);
        }

        return total;
    }

    /// <summary>What the calls of one operation cost so far, in USD.</summary>
    public double Cost(ApiOperation operation, CostOptions costs) => Billed(operation) * ApiOperations.PriceOf(operation, costs, IsFifo) / 1_000_000;

    /// <summary>Publishes counters that are read when somebody asks.</summary>
    public void Observe(string route, CostOptions costs)
    {
        KeyValuePair<string, object?> tag = new("worker.route", route);
        Meter.CreateObservableCounter("worker.api.calls", () => Measure(tag), "{call}", "Calls of AWS services sent, by service and operation");
        Meter.CreateObservableCounter("worker.cost.estimated", () => new Measurement<double>(Cost(costs), tag), "USD", "What the calls cost by the prices of the section Costs");
    }

    private IEnumerable<Measurement<long>> Measure(KeyValuePair<string, object?> route) => ApiOperations.All
        .Where(operation => Sent(operation) > 0)
        .Select(operation => new Measurement<long>(
            Sent(operation),
            route,
            new KeyValuePair<string, object?>("rpc.service", ApiOperations.ServiceOf(operation)),
            new KeyValuePair<string, object?>("rpc.method", ApiOperations.NameOf(operation))));
}
