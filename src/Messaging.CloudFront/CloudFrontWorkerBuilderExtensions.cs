using Quayside.Messaging.Aws;
using Quayside.Messaging.CloudFront;

namespace Quayside.Messaging.Hosting;

/// <summary>Adds the indexing of CloudFront logs to a worker.</summary>
public static class CloudFrontWorkerBuilderExtensions
{
    /// <summary>
    /// Adds the handler <c>CloudFront</c>: an S3 event names logs, and each row of a log becomes a document. Settings:
    /// <c>Handlers:CloudFront</c> and <c>Aws</c>.
    /// </summary>
    public static IMessageWorkerBuilder AddCloudFront(this IMessageWorkerBuilder builder) =>
        builder.AddSettings(AwsOptions.Settings).AddHandler(new CloudFrontHandlerFeature());
}
