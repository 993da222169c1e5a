using Messaging.Aws.S3.Sink;

namespace Integration.Tests.Sinks.S3.Direct;

public sealed class DirectS3SinkAnswerTests : S3SinkAnswerTests
{
    internal override S3ClientKind Client => S3ClientKind.Direct;
}
