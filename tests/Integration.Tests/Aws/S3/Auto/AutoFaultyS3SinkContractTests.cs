using Quayside.Messaging.Aws.S3;

namespace Integration.Tests.Aws.S3.Auto;

public sealed class AutoFaultyS3SinkContractTests : FaultyS3SinkContractTests
{
    internal override S3ClientKind Client => S3ClientKind.Auto;
}
