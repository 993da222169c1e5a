using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Aws.S3.Sink;

/// <summary>The sink <c>S3</c>: one object per message or bundle, in a bucket.</summary>
internal sealed class S3SinkFeature : ISinkFeature
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
            settings.Fail(
                $"{S3SinkOptions.Section}:{nameof(S3SinkOptions.Endpoint)}", options.Endpoint.ToString(), problem,
                "Requests would not arrive, or bodies would travel unencrypted.");
        }

        return new SinkPlan
        {
            Create = services =>
            {
                AwsCredentialSource.CheckProfile(aws);
                return S3Sink.Create(options, aws, services);
            },
            IsLeftToStart = () => AwsRegion.AsksInstance(
                aws,
                fromAddress: null,
                Environment.GetEnvironmentVariable,
                AwsEndpoint.FindCustom(aws, "S3", Environment.GetEnvironmentVariable) is null ? null : "us-east-1"),
            CheckProperties = properties => S3ObjectProperties.FindProblems(options, properties),
            Describe = output => output.WriteLine($"Route {route} stores in S3 with {S3ClientChoice.Of(options).Text}.{Environment.NewLine}"),
            StoreTimeout = options.TotalTimeout,
            Retries = true,
        };
    }
}
