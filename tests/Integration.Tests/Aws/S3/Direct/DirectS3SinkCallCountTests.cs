using Quayside.Messaging.Aws.S3;

namespace Integration.Tests.Aws.S3.Direct;

public sealed class DirectS3SinkCallCountTests : S3SinkCallCountTests
{
    internal override S3ClientKind Client => S3ClientKind.Auto;
}
