using Messaging.Aws.S3.Sink;
using Messaging.Aws.Sqs;
using Messaging.Configuration;
using Messaging.Intake;
using Messaging.Routes;
using Messaging.ServiceBus;
using Messaging.Sinks.Bundles;
using Messaging.Sources.Channels;
using Messaging.Stages;

namespace Messaging.Costs.Explain;

/// <summary>The settings of one route that costs and limits follow from.</summary>
internal sealed class RouteSettings
{
    private RouteSettings(string name, SettingsReader settings)
    {
        Name = name;
        RouteOptions route = settings.Read<RouteOptions>($"Routes:{name}", RouteOptions.Overrides);
        Sources = [.. route.Source.Distinct(StringComparer.OrdinalIgnoreCase)];
        Sink = route.Sink;
        ReadsLogs = string.Equals(route.Handler, "CloudFront", StringComparison.OrdinalIgnoreCase);
        Intake = settings.Read<IntakeOptions>("Intake", name);
        Stages = settings.Read<StagesOptions>("Stages", name);
        Costs = settings.Read<CostOptions>("Costs");
        Sqs = Has("Sqs") ? settings.Read<SqsSourceOptions>(SqsSourceOptions.Section, name) : null;
        ServiceBus = Has("ServiceBus") ? settings.Read<ServiceBusSourceOptions>(ServiceBusSourceOptions.Section, name) : null;
        Bundles = settings.Read<BundlesOptions>("Bundles", name);
        Channel = Has("Channel") ? settings.Read<ChannelSourceOptions>(ChannelSourceOptions.Section, name) : null;
        S3 = string.Equals(Sink, "S3", StringComparison.OrdinalIgnoreCase) ? settings.Read<S3SinkOptions>(S3SinkOptions.Section, name) : null;
    }

    public string Name { get; }

    public IReadOnlyList<string> Sources { get; }

    public string Sink { get; }

    /// <summary>True when messages are events of objects that are read, instead of being stored themselves.</summary>
    public bool ReadsLogs { get; }

    public IntakeOptions Intake { get; }

    public StagesOptions Stages { get; }

    public CostOptions Costs { get; }

    public BundlesOptions Bundles { get; }

    /// <summary>Null when the route does not receive from SQS.</summary>
    public SqsSourceOptions? Sqs { get; }

    /// <summary>Null when the route does not receive from Service Bus.</summary>
    public ServiceBusSourceOptions? ServiceBus { get; }

    /// <summary>Null when the route has no channel.</summary>
    public ChannelSourceOptions? Channel { get; }

    /// <summary>Null when the route stores elsewhere.</summary>
    public S3SinkOptions? S3 { get; }

    /// <summary>Messages of all sources that the route works on at once.</summary>
    public int Slots => Intake.Concurrency * Sources.Count;

    /// <summary>Reads a route of a configuration that was found right.</summary>
    public static RouteSettings Read(SettingsReader settings, string route) => new(route, settings);

    private bool Has(string source) => Sources.Contains(source, StringComparer.OrdinalIgnoreCase);
}
