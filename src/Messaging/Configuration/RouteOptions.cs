namespace Messaging.Configuration;

/// <summary>Section <c>Routes:{name}</c>: sources, handler and sink of a route.</summary>
internal sealed class RouteOptions
{
    /// <summary>The section, with a placeholder for the route's name.</summary>
    public static SettingsSection Settings { get; } = SettingsSection.Of<RouteOptions>("Routes:{name}", perRoute: true);

    [Setting("Sources of the route, separated by commas: Channel, Http, Sqs, ServiceBus, Udp, TcpLines")]
    public string[] Source { get; set; } = ["Channel", "Http"];

    [Setting("Handler of the route: Archive (stores each message) or CloudFront (indexes the log that an S3 event names)")]
    public string Handler { get; set; } = "Archive";

    [Setting("Sink of the route: Directory, S3 or Memory for objects, Elasticsearch for documents")]
    public string Sink { get; set; } = "Directory";

    /// <summary>Reads a route's own keys.</summary>
    public static RouteOptions Read(SettingsReader settings, string route) => settings.Read<RouteOptions>($"Routes:{route}", settings.Sections.RouteRoots);
}
