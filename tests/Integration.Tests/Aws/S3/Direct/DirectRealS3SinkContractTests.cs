using Integration.Tests.Servers;
using Quayside.Messaging.Aws.S3;

namespace Integration.Tests.Aws.S3.Direct;

/// <summary>Over a store that verifies the signature of every contract request.</summary>
public sealed class DirectRealS3SinkContractTests(RealS3 real) : RealS3SinkContractTests(real)
{
    internal override S3ClientKind Client => S3ClientKind.Auto;
}
