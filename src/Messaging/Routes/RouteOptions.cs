using Messaging.Configuration;

namespace Messaging.Routes;

/// <summary>Section <c>Routes:{name}</c>: a named source + handler + sink.</summary>
internal sealed class RouteOptions
{
    /// <summary>The section, with its place for a route's name.</summary>
    public static SettingsSection Settings { get; } = SettingsSection.Of<RouteOptions>("Routes:{name}", perRoute: true);

    [Setting("Sources of the route, separated by commas: Channel, Http, Sqs, ServiceBus (with the switch AzureServiceBus), Udp, TcpLines")]
    public string[] Source { get; set; } = ["Channel", "Http"];

    [Setting("What a message of this route means: Archive (a message is stored) or CloudFront (an S3 event of a log that is indexed)")]
    public string Handler { get; set; } = "Archive";

    [Setting("Where the route's results go: Directory, S3, Memory for objects; Elasticsearch for documents")]
    public string Sink { get; set; } = "Directory";

    /// <summary>Reads a route's own keys.</summary>
    public static RouteOptions Read(SettingsReader settings, string route) => settings.Read<RouteOptions>($"Routes:{route}", settings.Sections.RouteRoots);
}
