using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Aws.S3;

public sealed class S3SinkFeatureTests
{
    [Fact]
    public void Configure_BucketAlone_IsEnough() => Read([("Sinks:S3:Bucket", "archive")]).Errors.ShouldBeEmpty();

    [Theory]
    [InlineData("Bucket", null, "must be set")]
    [InlineData("Bucket", "../other", "must be a bucket's name")]
    [InlineData("Bucket", "arn:aws:s3::123456789012:accesspoint/orders.mrap", "or the ARN of an access point")]
    [InlineData("Region", "eu-west-1.evil.example", "must be a region's name")]
    [InlineData("AttemptTimeout", "30s", "must not be above TotalTimeout")]
    [InlineData("ConnectTimeout", "10s", "must not be above AttemptTimeout")]
    [InlineData("KmsKeyId", "k", "needs ServerSideEncryption")]
    [InlineData("RequestChecksumCalculation", "sometimes", "must be one of WHEN_SUPPORTED, WHEN_REQUIRED")]
    [InlineData("SecretAccessKey", "canary-secret", "must be set when SecretAccessKey")]
    [InlineData("Client", "curl", "must be one of Auto, Sdk")]
    [InlineData("Metadata", "team", "must be a section of named values")]
    [InlineData("Metadata:my team", "a", "must be a header's name")]
    [InlineData("Tags:aws:team", "a", "must not begin with aws:")]
    [InlineData("Tags:team;", "a", "must have 1 to 128 letters")]
    [InlineData("Tags:team", "a;b", "must have at most 256 letters")]
    public void Configure_WrongValue_IsOneClearProblem(string key, string? value, string problem)
    {
        SettingsReader settings = Read([("Sinks:S3:Bucket", "archive"), ($"Sinks:S3:{key}", value)]);

        ConfigurationError error = settings.Errors.ShouldHaveSingleItem();
        error.Problem.ShouldContain(problem);
        error.ToString().ShouldNotContain("canary-secret");
    }

    [Theory]
    [InlineData("arn:aws:s3:eu-west-1:123456789012:accesspoint/orders")]
    [InlineData("orders-abcdefghijklmnopqrstuvwxyz012345-s3alias")]
    public void Configure_AccessPoint_IsABucket(string bucket) => Read([("Sinks:S3:Bucket", bucket)]).Errors.ShouldBeEmpty();

    [Fact]
    public void Configure_MetadataAndTagsOfS3sLimits_AreAccepted()
    {
        (string, string?)[] tags = [.. Enumerable.Range(0, 10).Select(i => ($"Sinks:S3:Tags:{new string('k', 127)}{i}", (string?)new string('v', 256)))];

        Read([("Sinks:S3:Bucket", "archive"), .. tags, ("Sinks:S3:Metadata:name", new string('v', 2_044))]).Errors.ShouldBeEmpty();
    }

    [Fact]
    public void Configure_MoreTagsOrMetadataThanS3Takes_IsAProblem()
    {
        (string, string?)[] tags = [.. Enumerable.Range(0, 11).Select(i => ($"Sinks:S3:Tags:k{i}", (string?)"v"))];

        Read([("Sinks:S3:Bucket", "archive"), .. tags]).Errors.ShouldHaveSingleItem().Problem.ShouldBe("must have at most 10 tags; these are 11.");
        Read([("Sinks:S3:Bucket", "archive"), ("Sinks:S3:Metadata:name", new string('v', 2_045))]).Errors.ShouldHaveSingleItem().Problem.ShouldBe(
            "must have at most 2,048 bytes of names and values; these have 2,049.");
    }

    [Theory]
    [InlineData("public-read")]
    [InlineData("public-read-write")]
    [InlineData("authenticated-read")]
    public void Configure_AclThatMakesObjectsPublic_IsAWarning(string acl) =>
        Read([("Sinks:S3:Bucket", "archive"), ("Sinks:S3:Acl", acl)]).Warnings.ShouldHaveSingleItem().Problem.ShouldContain("readable outside the account");

    [Theory]
    [InlineData("My_Bucket")]
    [InlineData("a.very-long-name.a.very-long-name.a.very-long-name.a.very-long-name.a.very-long-name")]
    public void Configure_BucketNameOfAnotherStore_NeedsItsEndpointAndThePath(string bucket)
    {
        Read([("Sinks:S3:Bucket", bucket), ("Sinks:S3:Endpoint", "https://store.example")]).Errors.ShouldBeEmpty();
        Read([("Sinks:S3:Bucket", bucket)]).Errors.ShouldHaveSingleItem().Problem.ShouldContain(
            "Capitals and underscores need Endpoint, with the bucket in the path.");
        Read([("Sinks:S3:Bucket", bucket), ("Sinks:S3:Endpoint", "https://store.example"),
            ("Sinks:S3:ForcePathStyle", "false")]).Errors.ShouldHaveSingleItem().Key.ShouldBe("Sinks:S3:Bucket");
    }

    [Theory]
    [InlineData("https://store.example/?X-Amz-Credential=a&X-Amz-Signature=canary")]
    [InlineData("https://user:canary@store.example")]
    public void Configure_SecretInTheEndpoint_NamesItsSettingAndIsNotShown(string endpoint)
    {
        string error = Read([("Sinks:S3:Bucket", "archive"), ("Sinks:S3:Endpoint", endpoint)]).Errors.ShouldHaveSingleItem().ToString();

        error.ShouldContain("keys belong in AccessKeyId and SecretAccessKey");
        error.ShouldNotContain("canary");
    }

    [Theory]
    [InlineData("http://127.0.0.1:9000")]
    [InlineData("http://localhost:9000")]
    [InlineData("https://store.example")]
    [InlineData("https://store.example/storage/v1/s3")]
    public void Configure_SafeEndpoint_IsAccepted(string endpoint) =>
        Read([("Sinks:S3:Bucket", "archive"), ("Sinks:S3:Endpoint", endpoint)]).Errors.ShouldBeEmpty();

    [Theory]
    [InlineData("Sinks:S3:AllowPlainHttp")]
    [InlineData("Aws:AllowPlainHttp")]
    public void Configure_PlainHttpAllowed_IsAccepted(string key) =>
        Read([("Sinks:S3:Bucket", "archive"), ("Sinks:S3:Endpoint", "http://store.example"), (key, "true")]).Errors.ShouldBeEmpty();

    [Fact]
    public void Over_OwnSettings_WinOverAws()
    {
        AwsOptions aws = new S3SinkOptions { Endpoint = new Uri("https://s3.example"), Region = "eu-west-2" }.Over(
            new AwsOptions { Endpoint = new Uri("https://aws.example"), Region = "eu-west-1", AccessKeyId = "a", SecretAccessKey = "b", SessionToken = "c" });

        aws.Endpoint.ShouldBe(new Uri("https://s3.example"));
        aws.Region.ShouldBe("eu-west-2");
        (aws.AccessKeyId, aws.SecretAccessKey, aws.SessionToken).ShouldBe(("a", "b", "c"));
    }

    [Theory]
    [InlineData("own", null)]
    [InlineData(null, "own")]
    public void Over_OwnCredentials_AreNeverMixedWithOthers(string? accessKeyId, string? profile)
    {
        AwsOptions aws = new S3SinkOptions { AccessKeyId = accessKeyId, SecretAccessKey = accessKeyId, Profile = profile }.Over(
            new AwsOptions { AccessKeyId = "a", SecretAccessKey = "b", SessionToken = "c", Profile = "d" });

        (aws.AccessKeyId, aws.SecretAccessKey, aws.SessionToken, aws.Profile).ShouldBe((accessKeyId, accessKeyId, null, profile));
    }

    private static SettingsReader Read((string Key, string? Value)[] values)
    {
        Dictionary<string, string?> given = new(StringComparer.OrdinalIgnoreCase);
        foreach ((string key, string? value) in values)
        {
            given[key] = value;
        }

        SettingsReader settings = new(new ConfigurationBuilder().AddInMemoryCollection(given).Build());
        new S3SinkFeature().Configure(settings, "archive");
        return settings;
    }
}
