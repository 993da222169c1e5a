using Quayside.Messaging.Configuration;
using Quayside.Messaging.Costs.Explain;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.AzureBlobs;

/// <summary>The sink <c>AzureBlobs</c>: one blob per message or bundle, in a container.</summary>
internal sealed class BlobSinkFeature : ISinkFeature, IExplainedFeature
{
    public string Name => "AzureBlobs";

    public bool KeepsProperties => true;

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<BlobSinkOptions>(BlobSinkOptions.Section)];

    public SinkPlan Configure(SettingsReader settings, string route)
    {
        BlobSinkOptions options = settings.Read<BlobSinkOptions>(BlobSinkOptions.Section, route);
        BlobCostOptions costs = settings.Read<BlobCostOptions>("Costs");
        return new SinkPlan
        {
            Create = services =>
            {
                BlobCalls.SetPrices(services.Calls, costs);
                return new BlobSink(options, services);
            },
            CheckBeforeStart = findings =>
            {
                if (options.ConnectionString is null)
                {
                    findings.LeaveToStart("Whether Azure.Identity finds credentials for the storage account: it may ask the environment, the instance or the Azure CLI.");
                }
            },
            CheckProperties = properties => BlobObjectProperties.FindProblems(options, properties),
            StoreTimeout = options.TotalTimeout,
            Retries = true,
        };
    }

    public IRouteExplainer Explain(SettingsReader settings, string route) =>
        new BlobExplainer(settings.Read<BlobSinkOptions>(BlobSinkOptions.Section, route), settings.Read<BlobCostOptions>("Costs"));
}

/// <summary>What <c>explain</c> shows for a route that stores in Blob Storage.</summary>
internal sealed class BlobExplainer(BlobSinkOptions options, BlobCostOptions costs) : IRouteExplainer
{
    public double PricePerMillionObjects => costs.BlobWritePerMillion;

    public void ExplainCalls(RouteLoad load, RouteEstimate estimate)
    {
        estimate.Call("blobs.put", $"{BlobCalls.Put}", load.ObjectsPerDay, 1, costs.BlobWritePerMillion, "one per blob; retries and duplicates (a GetBlob each) come in addition");
        if (options.AccessTier is { } tier and not BlobTier.Hot && costs.BlobWritePerMillion.Equals(new BlobCostOptions().BlobWritePerMillion))
        {
            estimate.Note($"{BlobSinkOptions.Section}:{nameof(options.AccessTier)} is {tier}, but the price of a write is Hot's: set Costs:BlobWritePerMillion.");
        }
    }
}
