using Quayside.Messaging.Aws.S3;

namespace Integration.Tests.Aws.S3.Direct;

public sealed class DirectS3SinkAnswerTests : S3SinkAnswerTests
{
    internal override S3ClientKind Client => S3ClientKind.Auto;
}
