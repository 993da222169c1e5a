using System.Text;
using Amazon.S3;
using Amazon.S3.Model;
using Integration.Tests.Servers;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.CloudFront.Events;
using Quayside.Messaging.CloudFront.Objects;

namespace Integration.Tests.CloudFront;

/// <summary>A store that verifies signatures and conditions and keeps versions.</summary>
public sealed class RealLogObjectsTests(RealS3 s3) : LogObjectsContract
{
    [Fact]
    public async Task Open_VersionThatWasReplaced_GivesThatVersion()
    {
        AwsEndpoint endpoint = s3.Require();
        string bucket = await endpoint.CreateBucketAsync("logs");
        using AmazonS3Client client = endpoint.CreateS3Client();
        await client.PutBucketVersioningAsync(
            new PutBucketVersioningRequest { BucketName = bucket, VersioningConfig = new S3BucketVersioningConfig { Status = VersionStatus.Enabled } });
        byte[] body = Encoding.ASCII.GetBytes(new string('1', 100_000));
        PutObjectResponse first = await client.PutObjectAsync(Request(bucket, "a", body));
        await client.PutObjectAsync(Request(bucket, "a", "two"u8.ToArray()));

        using ILogObjects objects = Create(endpoint);
        using S3ObjectContent opened =
            await objects.OpenAsync(new LogObject(bucket, "a", first.VersionId, first.ETag.Trim('"')), Limit, TestContext.Current.CancellationToken);

        opened.Version.ShouldBe(first.VersionId);
        (await ReadAsync(opened)).ShouldBe(body);
    }

    private protected override Task<AwsEndpoint> RequireAsync() => Task.FromResult(s3.Require());
}
