using Quayside.Messaging.Aws.S3;

namespace Integration.Tests.Aws.S3;

/// <summary>Without conditional writes every rule holds except the races: two concurrent stores may both find the key free.</summary>
public class UnconditionalS3SinkContractTests : FaultyS3SinkContractTests
{
    protected override bool DecidesRaces => false;

    internal override S3SinkOptions OptionsFor(string bucket) => new() { Client = Client, Bucket = bucket, Conditional = false };
}
