using Messaging.Aws;
using Messaging.Costs.Explain;

namespace Messaging.CloudFront;

/// <summary>The part of <c>explain</c> for a route that reads logs.</summary>
internal sealed class CloudFrontExplainer(AwsCostOptions costs) : IRouteExplainer
{
    public void ExplainCalls(RouteLoad load, RouteEstimate estimate)
    {
        estimate.Call("s3.get", "S3 GetObject", load.MessagesPerDay, 1, costs.S3GetPerMillion, "one per message: S3 sends one event per object; retries are extra");
        estimate.Note("The number of rows per log is unknown, so documents, requests to the sink, concurrency, memory and transfer are not estimated (docs/guides/cloudfront.md has the figures per log).");
    }
}
