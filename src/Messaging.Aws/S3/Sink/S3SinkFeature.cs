using Quayside.Messaging.Configuration;
using Quayside.Messaging.Costs.Explain;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Aws.S3.Sink;

/// <summary>The sink <c>S3</c>: one object per message or bundle, in a bucket.</summary>
internal sealed class S3SinkFeature : ISinkFeature, IExplainedFeature
{
    public string Name => "S3";

    public bool KeepsProperties => true;

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<S3SinkOptions>(S3SinkOptions.Section)];

    public SinkPlan Configure(SettingsReader settings, string route)
    {
        S3SinkOptions options = settings.Read<S3SinkOptions>(S3SinkOptions.Section, route);
        AwsOptions aws = options.Over(settings.Read<AwsOptions>(AwsOptions.Section, route));
        if (options.Endpoint is not null && AwsEndpoint.FindProblem(options.Endpoint, aws.AllowPlainHttp, allowPath: true) is { } problem)
        {
            settings.Fail($"{S3SinkOptions.Section}:{nameof(S3SinkOptions.Endpoint)}", options.Endpoint.ToString(), problem, "Requests would not arrive, or bodies would travel unencrypted.");
        }

        AwsCostOptions costs = settings.Read<AwsCostOptions>(AwsCostOptions.Section);
        return new SinkPlan
        {
            Create = services =>
            {
                S3Calls.SetPrices(services.Calls, costs);
                return S3Sink.Create(options, aws, services);
            },
            CheckBeforeStart = findings => AwsStartCheck.Check(findings, aws, fromAddress: null, "S3", () => S3Endpoint.Resolve(options.ForcePathStyle, aws, Environment.GetEnvironmentVariable, options.Bucket)),
            CheckProperties = properties => S3ObjectProperties.FindProblems(options, properties),
            Describe = output => output.WriteLine($"Route {route} stores in S3 with {S3ClientChoice.Of(options).Text}.{Environment.NewLine}"),
            StoreTimeout = options.TotalTimeout,
            Retries = true,
        };
    }

    public IRouteExplainer Explain(SettingsReader settings, string route)
    {
        S3SinkOptions options = settings.Read<S3SinkOptions>(S3SinkOptions.Section, route);
        return new S3Explainer(options, settings.Read<AwsCostOptions>(AwsCostOptions.Section));
    }
}

/// <summary>What <c>explain</c> shows for a route that stores in S3.</summary>
internal sealed class S3Explainer(S3SinkOptions s3, AwsCostOptions costs) : IRouteExplainer
{
    public double PricePerMillionObjects => costs.S3PutPerMillion;

    public void ExplainCalls(RouteLoad load, RouteEstimate estimate)
    {
        double puts = load.ObjectsPerDay;
        estimate.Call("s3.put", "S3 PutObject", puts, 1, costs.S3PutPerMillion, $"one per object, with {S3ClientChoice.Of(s3).Text}; retries and duplicates (a HEAD each) come in addition");
        if (!s3.Conditional)
        {
            estimate.Call("s3.head", "S3 HeadObject", puts, 1, costs.S3GetPerMillion, "Sinks:S3:Conditional is false: each key is checked first");
            estimate.Save(puts * costs.S3GetPerMillion / 1_000_000, "Sinks:S3:Conditional=true, if the store supports If-None-Match");
        }

        if (s3.StorageClass is { } storageClass and not "STANDARD" && costs.S3PutPerMillion.Equals(new AwsCostOptions().S3PutPerMillion))
        {
            estimate.Note($"Sinks:S3:StorageClass is {storageClass}, but the price of a PUT is STANDARD's: set Costs:S3PutPerMillion.");
        }
    }
}
