using Integration.Tests.Servers;
using Quayside.Messaging.Aws.S3;

namespace Integration.Tests.Aws.S3;

/// <summary>
/// Over fauxqs, or LocalStack where <c>AWS_ENDPOINT_URL</c> names one. Without conditional writes: fauxqs answers them with a
/// success and overwrites, which is the kind of store the setting is there for.
/// </summary>
public class EmulatedS3SinkContractTests(AwsServer aws) : S3SinkContract
{
    protected override bool DecidesRaces => false;

    internal override async ValueTask<AwsEndpoint> RequireAsync() => await aws.RequireAsync();

    internal override S3SinkOptions OptionsFor(string bucket) => new() { Client = Client, Bucket = bucket, Conditional = false };
}
