using Amazon.S3;
using Amazon.S3.Model;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.CloudFront.Events;
using Quayside.Messaging.CloudFront.Objects;
using Quayside.Messaging.Telemetry;
using AwsEndpoint = Integration.Tests.Servers.AwsEndpoint;

namespace Integration.Tests.CloudFront;

/// <summary>Reading objects as events name them, against a server.</summary>
public abstract class LogObjectsContract
{
    private protected static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    private readonly ApiCalls _calls = new();

    private protected abstract Task<AwsEndpoint> RequireAsync();

    [Theory]
    [InlineData("E2EXAMPLE.2026-01-31-10.a1b2c3d4.gz")]
    [InlineData("with blank/and+plus/100%/\u00e9\U0001F600.gz")]
    [InlineData("a%2Bb")]
    public async Task Open_Object_GivesItsBytesAndVersion(string key)
    {
        AwsEndpoint endpoint = await RequireAsync();
        string bucket = await endpoint.CreateBucketAsync("logs");
        byte[] body = new byte[300_000];
        new Random(1).NextBytes(body);
        string eTag = await PutAsync(endpoint, bucket, key, body);

        using ILogObjects objects = Create(endpoint);
        using S3ObjectContent opened = await objects.OpenAsync(new LogObject(bucket, key, null, eTag), Limit, TestContext.Current.CancellationToken);

        opened.Fault.Kind.ShouldBe(AwsErrorKind.None);
        opened.Length.ShouldBe(body.Length);
        opened.Version.ShouldBe(eTag);
        (await ReadAsync(opened)).ShouldBe(body);
        _calls.Sent(S3Calls.Get).ShouldBe(1);
    }

    [Fact]
    public async Task Open_ReplacedObject_IsDistinguished()
    {
        AwsEndpoint endpoint = await RequireAsync();
        string bucket = await endpoint.CreateBucketAsync("logs");
        string eTag = await PutAsync(endpoint, bucket, "a", "one"u8.ToArray());
        await PutAsync(endpoint, bucket, "a", "two"u8.ToArray());

        using ILogObjects objects = Create(endpoint);
        using S3ObjectContent opened = await objects.OpenAsync(new LogObject(bucket, "a", null, eTag), Limit, TestContext.Current.CancellationToken);

        opened.Fault.Kind.ShouldBe(AwsErrorKind.Exists);
        opened.Fault.Status.ShouldBe(412);
    }

    [Fact]
    public async Task Open_NoSuchObject_IsMissing()
    {
        AwsEndpoint endpoint = await RequireAsync();
        string bucket = await endpoint.CreateBucketAsync("logs");

        using ILogObjects objects = Create(endpoint);
        using S3ObjectContent opened = await objects.OpenAsync(new LogObject(bucket, "nothing", null, null), Limit, TestContext.Current.CancellationToken);

        opened.Fault.Kind.ShouldBe(AwsErrorKind.Missing);
    }

    [Fact]
    public async Task Open_NoSuchBucket_IsRefused()
    {
        AwsEndpoint endpoint = await RequireAsync();

        using ILogObjects objects = Create(endpoint);
        using S3ObjectContent opened =
            await objects.OpenAsync(new LogObject($"none-{Guid.NewGuid():n}", "a", null, null), Limit, TestContext.Current.CancellationToken);

        opened.Fault.Kind.ShouldBe(AwsErrorKind.Refused);
    }

    private static async Task<string> PutAsync(AwsEndpoint endpoint, string bucket, string key, byte[] body)
    {
        using AmazonS3Client s3 = endpoint.CreateS3Client();
        return (await s3.PutObjectAsync(Request(bucket, key, body))).ETag.Trim('"');
    }

    private protected static PutObjectRequest Request(string bucket, string key, byte[] body) =>
        new() { BucketName = bucket, Key = key, InputStream = new MemoryStream(body), UseChunkEncoding = false };

    private protected static async Task<byte[]> ReadAsync(S3ObjectContent opened)
    {
        using MemoryStream all = new();
        await opened.Content.CopyToAsync(all, TestContext.Current.CancellationToken);
        return all.ToArray();
    }

    private protected ILogObjects Create(AwsEndpoint endpoint)
    {
        AwsOptions aws =
            new() { Endpoint = endpoint.ServiceUrl, Region = endpoint.Region, AccessKeyId = endpoint.AccessKey, SecretAccessKey = endpoint.SecretKey };
        return new S3LogObjects(S3ObjectReader.Create(aws, forcePathStyle: null, Limit, TimeProvider.System, _calls));
    }
}
