using Integration.Tests.Servers;

namespace Integration.Tests.CloudFront;

public sealed class EmulatedLogObjectsTests(AwsServer aws) : LogObjectsContract
{
    private protected override Task<AwsEndpoint> RequireAsync() => aws.RequireAsync();
}
