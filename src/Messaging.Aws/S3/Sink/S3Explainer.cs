using Messaging.Costs.Explain;

namespace Messaging.Aws.S3.Sink;

/// <summary>What <c>explain</c> shows for a route that stores in S3.</summary>
internal sealed class S3Explainer(S3SinkOptions s3, AwsCostOptions costs) : IRouteExplainer
{
    public void ExplainCalls(RouteLoad load, RouteEstimate estimate)
    {
        double puts = load.ObjectsPerDay;
        estimate.Call("s3.put", "S3 PutObject", puts, 1, costs.S3PutPerMillion, "one per object; retries and duplicates (a HEAD each) come in addition");
        if (!s3.Conditional)
        {
            estimate.Call("s3.head", "S3 HeadObject", puts, 1, costs.S3GetPerMillion, "Sinks:S3:Conditional is false: each key is checked first");
            estimate.Save(puts * costs.S3GetPerMillion / 1_000_000, "Sinks:S3:Conditional=true, if the store supports If-None-Match");
        }

        if (s3.StorageClass is { } storageClass and not "STANDARD" && costs.S3PutPerMillion.Equals(new AwsCostOptions().S3PutPerMillion))
        {
            estimate.Note($"Sinks:S3:StorageClass is {storageClass}, but the price of a PUT is STANDARD's: set Costs:S3PutPerMillion.");
        }
    }
}
