using Messaging.Configuration;

namespace Messaging.Costs.Explain;

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
