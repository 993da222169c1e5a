using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Sinks;
using AwsEndpoint = Integration.Tests.Servers.AwsEndpoint;
using AwsOptions = Quayside.Messaging.Aws.AwsOptions;

namespace Integration.Tests.Aws.S3;

/// <summary>Opens S3 sinks the way the feature does.</summary>
internal static class S3Sinks
{
    public static S3Sink Open(AwsEndpoint endpoint, S3SinkOptions options, ILoggerFactory? loggers = null, TimeProvider? time = null) =>
        S3Sink.Create(options, AwsOf(endpoint), new SinkServices
        {
            Services = null!,
            Loggers = loggers ?? NullLoggerFactory.Instance,
            Time = time ?? TimeProvider.System,
        });

    public static AwsOptions AwsOf(AwsEndpoint endpoint) => new()
    {
        Endpoint = endpoint.ServiceUrl,
        Region = endpoint.Region,
        AccessKeyId = endpoint.AccessKey,
        SecretAccessKey = endpoint.SecretKey,
    };
}
