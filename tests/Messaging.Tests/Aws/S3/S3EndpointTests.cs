using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Aws.S3;

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

    [Theory]
    [InlineData("arn:aws:s3:eu-south-2:123456789012:accesspoint/orders", "eu-south-2")]
    [InlineData("arn:aws-cn:s3:cn-north-1:123456789012:accesspoint:orders", "cn-north-1")]
    [InlineData("arn:aws:s3::123456789012:accesspoint/orders.mrap", null)]
    [InlineData("arn:aws:s3:eu-west-1:1234:accesspoint/orders", null)]
    [InlineData("arn:aws:s3:eu-west-1:123456789012:accesspoint/../other", null)]
    [InlineData("arn:aws:s3-object-lambda:eu-west-1:123456789012:accesspoint/orders", null)]
    [InlineData("arn:aws:sqs:eu-west-1:123456789012:orders", null)]
    [InlineData("archive", null)]
    public void RegionOfAccessPoint_OfAnArn_IsItsRegion(string bucket, string? region) => BucketName.RegionOfAccessPoint(bucket).ShouldBe(region);

    [Fact]
    public void Resolve_AccessPoint_IsInTheRegionOfItsArnAndNeverAtAnotherStore()
    {
        const string AccessPoint = "arn:aws:s3:eu-south-2:123456789012:accesspoint/orders";

        S3Endpoint
            .Resolve(forcePathStyle: null, new AwsOptions { Region = "eu-west-1" }, _ => null, AccessPoint)
            .ShouldBe(new S3Endpoint(null, "eu-south-2", PathStyle: false));
        StartupException refused =
            Should.Throw<StartupException>(() => S3Endpoint.Resolve(forcePathStyle: null, new AwsOptions { Endpoint = Store }, _ => null, AccessPoint));

        refused.ExitCode.ShouldBe(ExitCodes.Configuration);
        refused.Message.ShouldContain(AccessPoint);
    }

    private static S3Endpoint Resolve(string? option, params (string Name, string? Value)[] environment) =>
        S3Endpoint.Resolve(
            forcePathStyle: null, new AwsOptions { Endpoint = Store, Region = option },
            name => Array.Find(environment, variable => variable.Name == name).Value);
}
