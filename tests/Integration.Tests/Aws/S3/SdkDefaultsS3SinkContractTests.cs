using Amazon.Runtime;
using Quayside.Messaging.Aws.S3;

namespace Integration.Tests.Aws.S3;

/// <summary>With a checksum, as the SDK sends by default.</summary>
public sealed class SdkDefaultsS3SinkContractTests : FaultyS3SinkContractTests
{
    internal override S3SinkOptions OptionsFor(string bucket) => new()
    {
        Client = Client,
        Bucket = bucket,
        RequestChecksumCalculation = RequestChecksumCalculation.WHEN_SUPPORTED,
    };
}
