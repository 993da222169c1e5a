using Messaging.Sinks;

namespace Messaging.Costs.Explain;

/// <summary>The load that a route is explained for, and what follows from it by the worker's own settings. Immutable.</summary>
public sealed record RouteLoad
{
    /// <summary>Seconds per day.</summary>
    public const double SecondsPerDay = 86_400;

    /// <summary>Messages per day, spread evenly; at least 1.</summary>
    public required long MessagesPerDay { get; init; }

    /// <summary>Bytes of a body; at least 1.</summary>
    public required int MessageBytes { get; init; }

    /// <summary><c>Intake:Concurrency</c>: the maximum number of messages in flight per source.</summary>
    public required int Concurrency { get; init; }

    /// <summary>Messages that may be in flight per source while there are few; <see cref="Concurrency"/> unless it is set.</summary>
    public int ConcurrencyAtRest
    {
        get => field == 0 ? Concurrency : field;
        init;
    }

    /// <summary>What the handler writes to the sink.</summary>
    public SinkKind Results { get; init; }

    /// <summary>True when the route stores bundles of messages.</summary>
    public bool IsBundled { get; init; }

    /// <summary>Messages that one object holds; 1 without bundles unless the operator asks for another figure.</summary>
    public int MessagesPerObject { get; init; } = 1;

    /// <summary>How long the first message of a bundle waits until the bundle is stored.</summary>
    public TimeSpan BundleWait { get; init; }

    /// <summary>Messages per second.</summary>
    public double Rate => MessagesPerDay / SecondsPerDay;

    /// <summary>Objects stored per day.</summary>
    public double ObjectsPerDay => Math.Ceiling(MessagesPerDay / (double)MessagesPerObject);
}
