using Quayside.Messaging.AzureBlobs;

namespace Quayside.Messaging.Hosting;

/// <summary>Adds Azure Blob Storage to a worker, with Microsoft's client.</summary>
public static class AzureBlobsWorkerBuilderExtensions
{
    /// <summary>Adds the sink <c>AzureBlobs</c>: a blob per message or bundle in a container. Settings: <c>Sinks:AzureBlobs</c>.</summary>
    public static IMessageWorkerBuilder AddAzureBlobs(this IMessageWorkerBuilder builder) => builder.AddSink(new BlobSinkFeature());
}
