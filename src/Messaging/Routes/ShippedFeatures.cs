namespace Messaging.Routes;

/// <summary>The features of other packages, for errors about features that were not added.</summary>
internal static class ShippedFeatures
{
    internal static readonly (string Kind, string Name, string Call, string Package)[] All =
    [
        ("source", "Http", "AddHttp()", "Quayside.Messaging.Http"),
        ("source", "Sqs", "AddSqs()", "Quayside.Messaging.Aws"),
        ("source", "ServiceBus", "AddAzureServiceBus()", "Quayside.Messaging.AzureServiceBus"),
        ("source", "Udp", "AddUdp()", "Quayside.Messaging.Sockets"),
        ("source", "TcpLines", "AddTcpLines()", "Quayside.Messaging.Sockets"),
        ("handler", "CloudFront", "AddCloudFront()", "Quayside.Messaging.CloudFront"),
        ("sink", "S3", "AddS3()", "Quayside.Messaging.Aws"),
        ("sink", "Elasticsearch", "AddElasticsearch()", "Quayside.Messaging.CloudFront"),
    ];

    /// <summary>A sentence, after a space, with the call that adds a feature; empty for an unknown name.</summary>
    /// <param name="name">The name in the configuration of a route.</param>
    /// <param name="kind">source, handler or sink.</param>
    public static string WhereIs(string name, string kind) =>
        Array.Find(All, feature => feature.Kind == kind && string.Equals(feature.Name, name, StringComparison.OrdinalIgnoreCase)) is { Name: { } known } found
            ? $" {known} is not part of this worker: add it with {found.Call} from the package {found.Package}."
            : string.Empty;
}
