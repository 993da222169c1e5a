using Amazon.Runtime;
using Quayside.Messaging.Aws.S3;

namespace Integration.Tests.Aws.S3.Direct;

/// <summary>With a checksum header, which the fake compares with the bytes.</summary>
public sealed class DirectChecksumS3SinkContractTests : FaultyS3SinkContractTests
{
    internal override S3ClientKind Client => S3ClientKind.Direct;

    internal override S3SinkOptions OptionsFor(string bucket) => new()
    {
        Client = Client,
        Bucket = bucket,
        RequestChecksumCalculation = RequestChecksumCalculation.WHEN_SUPPORTED,
    };
}
