using Integration.Tests.Servers;
using Quayside.Messaging.Aws.S3;

namespace Integration.Tests.Aws.S3.Auto;

/// <summary>The default, over a store that verifies signatures.</summary>
public sealed class AutoRealS3SinkContractTests(RealS3 real) : RealS3SinkContractTests(real)
{
    internal override S3ClientKind Client => S3ClientKind.Auto;
}
