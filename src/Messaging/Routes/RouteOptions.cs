using Messaging.Configuration;

namespace Messaging.Routes;

/// <summary>Section <c>Routes:{name}</c>: a named source + handler + sink.</summary>
internal sealed class RouteOptions
{
    /// <summary>The sections that may be given again below a route, for it alone.</summary>
    public static readonly IReadOnlyList<string> Overrides = ["Intake", "Recoverability", "Stages", "Sources", "Handlers", "Sinks", "Bundles", "Aws"];

    [Setting("Sources of the route, separated by commas: Channel, Http, Sqs, ServiceBus (with the switch AzureServiceBus), Udp, TcpLines")]
    public string[] Source { get; set; } = ["Channel", "Http"];

    [Setting("What a message of this route means: Archive (a message is stored) or CloudFront (an S3 event of a log that is indexed)")]
    public string Handler { get; set; } = "Archive";

    [Setting("Where the route's results go: Directory, S3, Memory for objects; Elasticsearch for documents")]
    public string Sink { get; set; } = "Directory";
}
