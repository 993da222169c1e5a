using Messaging.Costs.Explain;
using static System.FormattableString;

namespace Messaging.AzureServiceBus;

/// <summary>What <c>explain</c> shows for a route that receives from Service Bus.</summary>
internal sealed class ServiceBusExplainer(ServiceBusSourceOptions bus, int calls) : IRouteExplainer
{
    public void ExplainCalls(RouteLoad load, RouteEstimate estimate) => estimate.Exclude("Azure's charges for Service Bus are not in the estimate");

    public void ExplainKill(RouteLoad load, RouteEstimate estimate)
    {
        estimate.Add("kill.redelivered.servicebus", "redelivered by a kill, at most", calls + bus.PrefetchCount, "messages", Invariant($"{calls:N0} calls + {bus.PrefetchCount:N0} fetched in advance, when their locks end; no message is lost, but each redelivery counts"));
    }
}
