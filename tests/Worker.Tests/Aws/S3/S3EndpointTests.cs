using Messaging.Aws;
using Messaging.Aws.S3;
using Messaging.Configuration;

namespace Worker.Tests.Aws.S3;

public sealed class S3EndpointTests
{
    private static readonly Uri Store = new("http://127.0.0.1:9000");

    [Theory]
    [InlineData(null, null, null, "us-east-1")]
    [InlineData(null, null, " ", "us-east-1")]
    [InlineData(null, null, "eu-north-1", "eu-north-1")]
    [InlineData(null, "eu-central-1", "eu-north-1", "eu-central-1")]
    [InlineData(null, " eu-central-1 ", null, "eu-central-1")]
    [InlineData("eu-west-1", "eu-central-1", "eu-north-1", "eu-west-1")]
    public void Resolve_CustomEndpoint_RegionIsTheFirstThatIsSetOrS3sFirst(string? option, string? variable, string? defaultVariable, string region)
    {
        S3Endpoint endpoint = Resolve(option, ("AWS_REGION", variable), ("AWS_DEFAULT_REGION", defaultVariable));

        endpoint.ShouldBe(new S3Endpoint(Store, region, PathStyle: true));
    }

    [Fact]
    public void Resolve_CustomEndpointAndWhatIsNoRegion_FailsAtStart()
    {
        StartupException refused = Should.Throw<StartupException>(() => Resolve(null, ("AWS_REGION", "EU (Ireland)\n")));

        refused.ExitCode.ShouldBe(ExitCodes.Configuration);
        refused.Message.ShouldContain("Aws:Region");
    }

    private static S3Endpoint Resolve(string? option, params (string Name, string? Value)[] environment) =>
        S3Endpoint.Resolve(forcePathStyle: null, new AwsOptions { Endpoint = Store, Region = option }, name => Array.Find(environment, variable => variable.Name == name).Value);
}
