using Messaging.Aws.S3.Sink;

namespace Integration.Tests.Aws.S3;

/// <summary>Without conditional writes everything holds but the races: two stores at one moment may both find the key free.</summary>
public class UnconditionalS3SinkContractTests : FaultyS3SinkContractTests
{
    protected override bool DecidesRaces => false;

    internal override S3SinkOptions OptionsFor(string bucket) => new() { Client = Client, Bucket = bucket, Conditional = false };
}
