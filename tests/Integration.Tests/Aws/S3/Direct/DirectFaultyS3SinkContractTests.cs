using Quayside.Messaging.Aws.S3;

namespace Integration.Tests.Aws.S3.Direct;

public sealed class DirectFaultyS3SinkContractTests : FaultyS3SinkContractTests
{
    internal override S3ClientKind Client => S3ClientKind.Auto;
}
