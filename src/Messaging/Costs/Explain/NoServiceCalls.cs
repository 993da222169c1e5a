namespace Messaging.Costs.Explain;

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
