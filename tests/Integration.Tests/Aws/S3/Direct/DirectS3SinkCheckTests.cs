using Integration.Tests.Servers;
using Quayside.Messaging.Aws.S3;

namespace Integration.Tests.Aws.S3.Direct;

public sealed class DirectS3SinkCheckTests(RealS3 real) : S3SinkCheckTests(real)
{
    internal override S3ClientKind Client => S3ClientKind.Auto;
}
