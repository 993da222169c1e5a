using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Costs.Explain;

/// <summary>
/// What a source, handler or sink adds to <c>explain</c>: the calls that its settings lead to under a load, and what a kill does to
/// its messages. Called once per explanation, after the configuration was found valid; opens and connects to nothing.
/// </summary>
public interface IRouteExplainer
{
    /// <summary>Adds the calls per day, their prices, and changes that would lower them. Adds nothing where no service is called.</summary>
    void ExplainCalls(RouteLoad load, RouteEstimate estimate);

    /// <summary>Adds what a kill (SIGKILL, power failure) redelivers or loses.</summary>
    void ExplainKill(RouteLoad load, RouteEstimate estimate)
    {
    }

    /// <summary>Of a source: maximum USD per day of its receive calls; 0 when the cost does not depend on <see cref="RouteLoad.ConcurrencyAtRest"/>.</summary>
    double ReceiveUsdPerDay(RouteLoad load) => 0;

    /// <summary>Of a sink: USD per million objects stored, from which the savings of bundles are calculated; 0 when objects cost nothing.</summary>
    double PricePerMillionObjects => 0;
}

/// <summary>The explainer of a part that calls no service that charges for calls.</summary>
/// <param name="explainKill">Adds what a kill does to its messages; null where it holds none.</param>
public sealed class NoServiceCalls(Action<RouteLoad, RouteEstimate>? explainKill = null) : IRouteExplainer
{
    /// <inheritdoc/>
    public void ExplainCalls(RouteLoad load, RouteEstimate estimate)
    {
    }

    /// <inheritdoc/>
    public void ExplainKill(RouteLoad load, RouteEstimate estimate) => explainKill?.Invoke(load, estimate);
}

/// <summary>Implemented by a source, handler or sink feature that adds figures to <c>explain</c>; without it a note says that the estimate leaves its calls out.</summary>
public interface IExplainedFeature
{
    /// <summary>Reads the settings as the feature's own Configure does, whose problems are reported already.</summary>
    /// <returns>Its figures; null for the note.</returns>
    IRouteExplainer? Explain(SettingsReader settings, string route);
}

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
