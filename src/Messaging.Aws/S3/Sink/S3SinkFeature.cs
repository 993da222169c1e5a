using Messaging.Configuration;
using Messaging.Intake;
using Messaging.Routes;
using Messaging.Sinks;
using Messaging.Sinks.Bundles;

namespace Messaging.Aws.S3.Sink;

/// <summary>The sink <c>S3</c>: one object a message in a bucket.</summary>
internal sealed class S3SinkFeature : ISinkFeature
{
    public string Name => "S3";

    public Func<SinkServices, ISink> Configure(SettingsReader settings, string route)
    {
        S3SinkOptions options = settings.Read<S3SinkOptions>(S3SinkOptions.Section, route);
        options.HoldsBundles = settings.Read<BundlesOptions>(BundlesOptions.Section, route).Enabled;
        AwsOptions aws = options.Over(settings.Read<AwsOptions>(AwsOptions.Section, route));
        if (options.Endpoint is not null && AwsEndpoint.FindProblem(options.Endpoint, aws.AllowPlainHttp) is { } problem)
        {
            settings.Fail($"{S3SinkOptions.Section}:{nameof(S3SinkOptions.Endpoint)}", options.Endpoint.ToString(), problem, "Requests would not arrive, or bodies would travel in the open.");
        }

        // Every source of the route has so many messages stored at once; a connection each, so that none waits against its own deadline.
        int sources = settings.Read<RouteOptions>($"Routes:{route}", RouteOptions.Overrides).Source.Length;
        int concurrency = settings.Read<IntakeOptions>("Intake", route).Concurrency;
        int maxConnections = concurrency * Math.Max(sources, 1);
        return services => S3Sink.Create(options, aws, services, maxConnections);
    }
}
