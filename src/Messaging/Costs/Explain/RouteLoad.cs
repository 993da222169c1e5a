using Messaging.Sinks;
using Messaging.Sinks.Bundles;

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

    /// <summary><c>Intake:Concurrency</c>: the most messages in flight per source.</summary>
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

/// <summary>How many messages a bundle holds under a load, and how long they wait in it.</summary>
internal sealed class BundleLoad
{
    public BundleLoad(BundlesOptions bundles, ExplainInput input)
    {
        double most = Math.Min(bundles.MaxMessages, Math.Min(input.Rate * bundles.MaxAge.TotalSeconds, bundles.MemoryBudget / (double)input.MessageBytes));
        Size = (int)Math.Max(1, most);

        // Fewer messages than the load would bring to one bundle means many open bundles, closed only by their age.
        double given = input.MessagesPerObject ?? Size;
        FillSeconds = given < Size ? bundles.MaxAge.TotalSeconds : Math.Min(bundles.MaxAge.TotalSeconds, bundles.MaxMessages / input.Rate);
    }

    /// <summary>Messages per bundle at best: bounded by count, age and the memory budget of all bundles.</summary>
    public int Size { get; }

    /// <summary>How long a bundle's first message waits.</summary>
    public double FillSeconds { get; }
}
