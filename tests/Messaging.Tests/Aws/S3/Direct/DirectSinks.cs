using Amazon.Runtime;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Aws.S3.Sink.Direct;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Aws.S3.Direct;

/// <summary>Direct clients and sinks over a test's server.</summary>
internal static class DirectSinks
{
    public static S3SinkOptions Options { get; } = new() { Client = S3ClientKind.Auto, Bucket = "archive" };

    public static SinkServices Services(TimeProvider? time = null) => new() { Services = null!, Time = time ?? TimeProvider.System };

    public static AwsCredentialSource Credentials(AWSCredentials? credentials = null) =>
        new(() => Task.FromResult(credentials ?? new BasicAWSCredentials("AKIDTEST", "secret")), TimeProvider.System);

    public static DirectRequests Requests(
        Uri server, S3SinkOptions? options = null, AwsCredentialSource? credentials = null, TimeProvider? time = null, BufferPool? buffers = null)
    {
        options ??= Options;
        BucketAddress address = BucketAddress.Create(options.Bucket!, new S3Endpoint(server, "eu-west-1", PathStyle: true));
        return new DirectRequests(
            options, address, "eu-west-1", credentials ?? Credentials(), AwsHttpHandler.Create(64), Services(time), buffers ?? BufferPool.Shared, retained: 64);
    }

    public static S3Sink Sink(Uri server, S3SinkOptions? options = null) =>
        new(options ?? Options, Requests(server, options), Services());
}
