using System.Text;
using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;
using Integration.Tests.Servers;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Sinks;
using AwsEndpoint = Integration.Tests.Servers.AwsEndpoint;

namespace Integration.Tests.Aws.S3;

/// <summary>What a store that verifies signatures returns of the settings of objects, read with the SDK.</summary>
public sealed class S3ObjectSettingsTests(RealS3 real, AwsServer emulator)
{
    private static readonly byte[] Body = "{\"a\":1}"u8.ToArray();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("Sdk")]
    [InlineData("Auto")]
    public async Task Store_MetadataTagsAndHeaders_AreReturnedAsTheyWereSet(string client)
    {
        AwsEndpoint endpoint = real.Require();
        using AmazonS3Client s3 = endpoint.CreateS3Client();
        string bucket = await endpoint.CreateBucketAsync("settings");
        await using S3Sink sink = S3Sinks.Open(endpoint, new S3SinkOptions
        {
            Client = Enum.Parse<S3ClientKind>(client),
            Bucket = bucket,
            ContentType = "application/x-ndjson",
            ContentEncoding = "identity",
            Acl = "public-read",
            Metadata = new Dictionary<string, string> { ["Team"] = "billing, \"EU\"", ["city"] = "Zürich" },
            Tags = new Dictionary<string, string> { ["cost centre"] = "a+b = c/d", ["größe"] = "XL" },
        });

        (await sink.StoreAsync("a/b c.json"u8.ToArray(), Body, Token)).ShouldBe(SinkResult.Stored);
        (await sink.StoreAsync("a/b c.json"u8.ToArray(), Body, Token)).ShouldBe(SinkResult.AlreadyStored);

        GetObjectMetadataResponse head = await s3.GetObjectMetadataAsync(bucket, "a/b c.json", Token);
        (head.Headers.ContentType, head.Headers.ContentEncoding).ShouldBe(("application/x-ndjson", "identity"));
        head.Metadata["team"].ShouldBe("billing, \"EU\"");
        Decoded(head.Metadata["city"]).ShouldBe("Zürich");
        GetObjectTaggingResponse tags = await s3.GetObjectTaggingAsync(new GetObjectTaggingRequest { BucketName = bucket, Key = "a/b c.json" }, Token);
        tags.Tagging.Select(tag => (tag.Key, tag.Value)).ShouldBe([("cost centre", "a+b = c/d"), ("größe", "XL")], ignoreOrder: true);
        GetObjectAclResponse acl = await s3.GetObjectAclAsync(new GetObjectAclRequest { BucketName = bucket, Key = "a/b c.json" }, Token);
        acl.Grants.ShouldContain(
            grant => grant.Grantee.URI != null && grant.Grantee.URI.EndsWith("AllUsers", StringComparison.Ordinal) && grant.Permission == S3Permission.READ);
    }

    [Theory]
    [InlineData("Sdk")]
    [InlineData("Auto")]
    public Task Store_PropertiesOfAMessage_AreReturned(string client) => StorePropertiesAsync(real.Require(), client, keepsTags: true);

    // fauxqs answers GetObjectTagging with the object.
    [Theory]
    [InlineData("Sdk")]
    [InlineData("Auto")]
    public async Task Store_PropertiesOfAMessageOverAnEmulator_AreReturned(string client) =>
        await StorePropertiesAsync(await emulator.RequireAsync(), client, keepsTags: false);

    [Theory]
    [InlineData("Sdk")]
    [InlineData("Auto")]
    public async Task Store_BucketLocksItsObjects_IsStoredWithAChecksum(string client)
    {
        AwsEndpoint endpoint = real.Require();
        using AmazonS3Client s3 = endpoint.CreateS3Client();
        string bucket = $"locked-{Guid.NewGuid():n}";
        await s3.PutBucketAsync(new PutBucketRequest { BucketName = bucket, ObjectLockEnabledForBucket = true }, Token);
        await s3.PutObjectLockConfigurationAsync(
            new PutObjectLockConfigurationRequest
            {
                BucketName = bucket,
                ObjectLockConfiguration = new ObjectLockConfiguration
                {
                    ObjectLockEnabled = ObjectLockEnabled.Enabled,
                    Rule = new ObjectLockRule { DefaultRetention = new DefaultRetention { Mode = ObjectLockRetentionMode.Governance, Days = 1 } },
                },
            },
            Token);
        await using S3Sink sink = S3Sinks.Open(endpoint, new S3SinkOptions
        {
            Client = Enum.Parse<S3ClientKind>(client),
            Bucket = bucket,

            // Object lock versions the bucket, and Ceph 16 ignores If-None-Match there.
            Conditional = false,
            RequestChecksumCalculation = RequestChecksumCalculation.WHEN_SUPPORTED,
        });

        (await sink.StoreAsync("locked"u8.ToArray(), Body, Token)).ShouldBe(SinkResult.Stored);
        (await sink.StoreAsync("locked"u8.ToArray(), Body, Token)).ShouldBe(SinkResult.AlreadyStored);

        ObjectLockRetention retention =
            (await s3.GetObjectRetentionAsync(new GetObjectRetentionRequest { BucketName = bucket, Key = "locked" }, Token)).Retention;
        retention.Mode.Value.ShouldBe("GOVERNANCE");
    }

    private static async Task StorePropertiesAsync(AwsEndpoint endpoint, string client, bool keepsTags)
    {
        using AmazonS3Client s3 = endpoint.CreateS3Client();
        string bucket = await endpoint.CreateBucketAsync("properties");
        await using S3Sink sink = S3Sinks.Open(
            endpoint,
            new S3SinkOptions { Client = Enum.Parse<S3ClientKind>(client), Bucket = bucket, Tags = new Dictionary<string, string> { ["team"] = "billing" } });
        ObjectProperties properties = new() { Metadata = [new("Tenant", "a  b, \"c\""), new("city", " Zürich ")], Tags = [new("order", "1/2 + 3")] };

        (await sink.StoreAsync("described"u8.ToArray(), Body, properties, Token)).ShouldBe(SinkResult.Stored);
        (await sink.StoreAsync("plain"u8.ToArray(), Body, Token)).ShouldBe(SinkResult.Stored);

        GetObjectMetadataResponse head = await s3.GetObjectMetadataAsync(bucket, "described", Token);
        head.Metadata["tenant"].ShouldBe("a  b, \"c\"");
        Decoded(head.Metadata["city"]).ShouldBe(" Zürich ");
        (await s3.GetObjectMetadataAsync(bucket, "plain", Token)).Metadata.Count.ShouldBe(0);
        if (keepsTags)
        {
            (await TagsAsync("described")).ShouldBe([("team", "billing"), ("order", "1/2 + 3")], ignoreOrder: true);
            (await TagsAsync("plain")).ShouldBe([("team", "billing")]);
        }

        async Task<IEnumerable<(string, string)>> TagsAsync(string key) =>
            (await s3.GetObjectTaggingAsync(new GetObjectTaggingRequest { BucketName = bucket, Key = key }, Token)).Tagging.Select(tag => (tag.Key, tag.Value));
    }

    private static string Decoded(string word) =>
        word.StartsWith("=?", StringComparison.Ordinal) ? Encoding.UTF8.GetString(Convert.FromBase64String(word[10..^2])) : word;
}
