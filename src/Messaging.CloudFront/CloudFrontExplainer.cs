using Messaging.Aws;
using Messaging.Costs.Explain;

namespace Messaging.CloudFront;

/// <summary>What <c>explain</c> shows of a route that reads logs.</summary>
internal sealed class CloudFrontExplainer(AwsCostOptions costs) : IRouteExplainer
{
    public void ExplainCalls(RouteLoad load, RouteEstimate estimate)
    {
        estimate.Call("s3.get", "S3 GetObject", load.MessagesPerDay, 1, costs.S3GetPerMillion, "one a message: S3 makes an event of each object; retries come on top");
        estimate.Note("The rows of a log are not known here: documents, requests to the sink, concurrency, memory and transfer are not estimated (docs/guides/cloudfront.md says what a log takes).");
    }
}
