using Quayside.Messaging.Aws.S3;

namespace Integration.Tests.Aws.S3.Auto;

public sealed class AutoS3SinkFaultTests : S3SinkFaultTests
{
    internal override S3ClientKind Client => S3ClientKind.Auto;
}
