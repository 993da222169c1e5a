using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink.Direct;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Aws.S3.Direct;

public sealed class BucketAddressTests
{
    [Theory]
    [InlineData(null, "eu-west-1", false, "archive", "https://archive.s3.eu-west-1.amazonaws.com/a/k")]
    [InlineData(null, "us-east-1", false, "archive", "https://archive.s3.us-east-1.amazonaws.com/a/k")]
    [InlineData(null, "cn-north-1", false, "archive", "https://archive.s3.cn-north-1.amazonaws.com.cn/a/k")]
    [InlineData(null, "eusc-de-east-1", false, "archive", "https://archive.s3.eusc-de-east-1.amazonaws.eu/a/k")]
    [InlineData(null, "us-iso-east-1", false, "archive", "https://archive.s3.us-iso-east-1.c2s.ic.gov/a/k")]
    [InlineData(null, "eu-west-1", true, "archive", "https://s3.eu-west-1.amazonaws.com/archive/a/k")]
    [InlineData(null, "eu-west-1", false, "my.archive", "https://s3.eu-west-1.amazonaws.com/my.archive/a/k")]
    [InlineData("https://store.example", "x", true, "archive", "https://store.example/archive/a/k")]
    [InlineData("https://store.example:8443", "x", false, "archive", "https://archive.store.example:8443/a/k")]
    [InlineData("https://store.example", "x", false, "my.archive", "https://store.example/my.archive/a/k")]
    [InlineData("http://localhost:9000", "x", false, "my.archive", "http://my.archive.localhost:9000/a/k")]
    [InlineData("http://127.0.0.1:9000", "x", false, "archive", "http://127.0.0.1:9000/archive/a/k")]
    [InlineData("https://store.example/storage/v1/s3", "x", true, "My_Archive", "https://store.example/storage/v1/s3/My_Archive/a/k")]
    [InlineData("https://store.example/s3/", "x", false, "archive", "https://archive.store.example/s3/a/k")]
    [InlineData("http://[::1]:9000", "x", false, "archive", "http://[::1]:9000/archive/a/k")]
    public void Of_Object_IsAddressedAsTheSettingsSay(string? custom, string region, bool pathStyle, string bucket, string expected)
    {
        BucketAddress address = BucketAddress.Create(bucket, new S3Endpoint(custom is null ? null : new Uri(custom), region, pathStyle));

        Uri uri = address.Of("a/k"u8);

        uri.OriginalString.ShouldBe(expected);
        address.TargetOf(uri).ToString().ShouldBe(uri.PathAndQuery);
        address.Host.ShouldBe(uri.Authority);
        address.OfBucket("list-type=2").PathAndQuery.ShouldEndWith("/?list-type=2");
    }

    [Theory]
    [InlineData("eu-west-1", true, false, false, "archive", "https://archive.s3-fips.eu-west-1.amazonaws.com/k")]
    [InlineData("us-gov-west-1", true, true, false, "archive", "https://archive.s3-fips.dualstack.us-gov-west-1.amazonaws.com/k")]
    [InlineData("eu-west-1", false, true, false, "archive", "https://archive.s3.dualstack.eu-west-1.amazonaws.com/k")]
    [InlineData("eu-west-1", false, true, true, "archive", "https://s3.dualstack.eu-west-1.amazonaws.com/archive/k")]
    [InlineData("cn-north-1", false, true, false, "my.archive", "https://s3.dualstack.cn-north-1.amazonaws.com.cn/my.archive/k")]
    [InlineData(
        "eu-west-1", false, false, false, "orders-abcdefghijklmnopqrstuvwxyz012345-s3alias",
        "https://orders-abcdefghijklmnopqrstuvwxyz012345-s3alias.s3.eu-west-1.amazonaws.com/k")]
    [InlineData(
        "eu-west-1", false, false, false, "arn:aws:s3:eu-west-1:123456789012:accesspoint/orders",
        "https://orders-123456789012.s3-accesspoint.eu-west-1.amazonaws.com/k")]
    [InlineData(
        "eu-west-1", true, true, false, "arn:aws:s3:eu-west-1:123456789012:accesspoint:orders",
        "https://orders-123456789012.s3-accesspoint-fips.dualstack.eu-west-1.amazonaws.com/k")]
    public void Of_EndpointsOfAwsOfOtherKinds_AreThoseThatAwsDocuments(string region, bool fips, bool dualStack, bool pathStyle, string bucket, string expected)
    {
        S3Endpoint endpoint = new(null, region, pathStyle) { IsFips = fips, IsDualStack = dualStack };

        BucketAddress.Create(bucket, endpoint).Of("k"u8).OriginalString.ShouldBe(expected);
    }

    [Theory]
    [InlineData("cn-north-1", true, false, "archive")]
    [InlineData("eu-west-1", false, true, "arn:aws:s3:eu-west-1:123456789012:accesspoint/orders")]
    public void Create_EndpointThatAwsDoesNotHave_FailsAtStart(string region, bool fips, bool pathStyle, string bucket)
    {
        StartupException exception =
            Should.Throw<StartupException>(() => BucketAddress.Create(bucket, new S3Endpoint(null, region, pathStyle) { IsFips = fips }));

        exception.ExitCode.ShouldBe(ExitCodes.Configuration);
        exception.Message.ShouldContain($"AWS has no endpoint for the bucket '{bucket}'");
    }
}
