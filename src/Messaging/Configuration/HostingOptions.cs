namespace Quayside.Messaging.Configuration;

/// <summary>Section <c>Hosting</c>: the process.</summary>
internal sealed class HostingOptions
{
    public const string Section = "Hosting";

    [Setting(
        "Time after SIGTERM to finish the messages in flight; unfinished ones are returned to their sources", Min = "0s", Max = "10m",
        Consequence = "It must end before the supervisor kills the process.")]
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(25);

    [Setting(
        "Interval between progress lines in the log, one per route (received, stored, dead-lettered, abandoned, in flight); "
            + "an idle route logs nothing, 0s turns them off", Min = "0s", Max = "24h", Advanced = true)]
    public TimeSpan ReportEvery { get; set; } = TimeSpan.FromSeconds(10);
}

/// <summary>Section <c>Pipeline</c>: how pipelines are executed, and which parts added by code are in them.</summary>
internal sealed class PipelineOptions
{
    /// <summary>The value of <see cref="Parts"/> that leaves every part out.</summary>
    public const string NoParts = "None";

    [Setting("How pipelines are executed: Closure, Expression, Precompiled or Fused; the results are the same, only the cost differs", Advanced = true)]
    public string Form { get; set; } = "Fused";

    [Setting(
        "Steps and behaviours added by code to run, in this order, separated by commas; None runs none of them. Default: all, "
            + "in the order in which they were added", Advanced = true)]
    public string[]? Parts { get; set; }
}

/// <summary>Section <c>Routes:{name}</c>: sources, envelopes, handler and sink of a route.</summary>
internal sealed class RouteOptions
{
    /// <summary>The section, with a placeholder for the route's name.</summary>
    public static SettingsSection Settings { get; } = SettingsSection.Of<RouteOptions>("Routes:{name}", perRoute: true);

    [Setting("Sources of the route, separated by commas: Channel, Http, Sqs, ServiceBus, RabbitMq, Udp, TcpLines")]
    public string[] Source { get; set; } = ["Channel", "Http"];

    [Setting(
        "Envelopes around the messages of the route, from the outermost to the innermost, separated by commas, such as Sns, "
            + "Gzip (docs/guides/envelopes.md). Default: none")]
    public string[] Envelope { get; set; } = [];

    [Setting("Handler of the route: Archive (stores each message) or CloudFront (indexes the log that an S3 event names)")]
    public string Handler { get; set; } = "Archive";

    [Setting("Sink of the route: Directory, S3, AzureBlobs or Memory for objects, Elasticsearch for documents")]
    public string Sink { get; set; } = "Directory";

    /// <summary>Reads a route's own keys.</summary>
    public static RouteOptions Read(SettingsReader settings, string route) => settings.Read<RouteOptions>($"Routes:{route}", settings.Sections.RouteRoots);
}
