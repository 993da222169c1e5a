using Quayside.Messaging.Recoverability;

namespace Quayside.Messaging.Console.Api;

/// <summary>The worker's counts at one moment.</summary>
/// <param name="Time">The moment.</param>
/// <param name="CpuSeconds">Processor time since the start.</param>
/// <param name="AllocatedBytes">Bytes allocated since the start.</param>
/// <param name="GcPauseSeconds">Pauses of the garbage collector since the start.</param>
/// <param name="Refused">HTTP requests refused since the start that reached no route.</param>
/// <param name="Routes">By the route's name.</param>
internal sealed record WorkerSample(
    DateTimeOffset Time, double CpuSeconds, double AllocatedBytes, double GcPauseSeconds, long Refused, IReadOnlyDictionary<string, RouteSample> Routes);

/// <summary>A route's values at one moment; counts are since the start.</summary>
internal sealed record RouteSample(
    long Received, long Done, long Duplicates, long Returned, long DeadLetters, long Retries, long Refused, int InFlight, double OldestAgeSeconds,
    BreakerState Breaker)
{
    /// <summary>Durations from acceptance to settlement, for percentiles; null while no page or metrics endpoint is in use, and in older samples.</summary>
    public long[]? Process { get; set; }

    /// <summary>Durations of storing; null as for <see cref="Process"/>.</summary>
    public long[]? Store { get; set; }

    /// <summary>Percentile of the durations since the previous sample; null without messages.</summary>
    public double? P50 { get; init; }

    /// <inheritdoc cref="P50"/>
    public double? P99 { get; init; }

    /// <inheritdoc cref="P50"/>
    public double? StoreP50 { get; init; }

    /// <inheritdoc cref="P50"/>
    public double? StoreP99 { get; init; }
}
