using Integration.Tests.Servers;
using Quayside.Messaging.Aws.S3;

namespace Integration.Tests.Aws.S3.Direct;

public sealed class DirectEmulatedS3SinkContractTests(AwsServer aws) : EmulatedS3SinkContractTests(aws)
{
    internal override S3ClientKind Client => S3ClientKind.Direct;
}
