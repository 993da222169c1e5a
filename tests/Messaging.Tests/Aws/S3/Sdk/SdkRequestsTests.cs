using Amazon.Runtime;
using Messaging.Tests.Aws.S3.Direct;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink.Sdk;

namespace Messaging.Tests.Aws.S3.Sdk;

/// <summary>The requests of the SDK's client on the wire.</summary>
public sealed class SdkRequestsTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Put_Request_HasTheConditionTheBytesAndTheHeadersOfTheSettings(bool conditional)
    {
        await using RawServer server = new(_ => RawServer.Stored);
        S3SinkOptions options = new()
        {
            Client = S3ClientKind.Sdk,
            Bucket = "archive",
            Conditional = conditional,
            ServerSideEncryption = "aws:kms",
            KmsKeyId = "my-key",
            StorageClass = "STANDARD_IA",
            ContentType = "application/x-ndjson",
        };
        using SdkRequests client = Create(server, options);
        byte[] body = "{\"a\":1}"u8.ToArray();

        (await client.PutAsync("a/b c.json"u8.ToArray(), body, null, Limit, Token)).Kind.ShouldBe(AwsErrorKind.None);

        RawRequest request = server.Requests.ShouldHaveSingleItem();
        request.Line.ShouldBe("PUT /archive/a/b%20c.json HTTP/1.1");
        request.Body.ShouldBe(body);
        request.Headers.TryGetValue("If-None-Match", out string? condition).ShouldBe(conditional);
        condition.ShouldBe(conditional ? "*" : null);
        request.Headers["Content-Type"].ShouldBe("application/x-ndjson");
        request.Headers["x-amz-server-side-encryption"].ShouldBe("aws:kms");
        request.Headers["x-amz-server-side-encryption-aws-kms-key-id"].ShouldBe("my-key");
        request.Headers["x-amz-storage-class"].ShouldBe("STANDARD_IA");
        string signed = request.Headers["Authorization"];
        foreach (string header in (string[])[
            "content-type", .. conditional ? (string[])["if-none-match"] : [], "x-amz-server-side-encryption", "x-amz-storage-class"])
        {
            signed.Split("SignedHeaders=")[1].Split(',')[0].Split(';').ShouldContain(header, "A header that is not signed can be removed on the way.");
        }
    }

    [Theory]
    [InlineData(nameof(RequestChecksumCalculation.WHEN_SUPPORTED), true)]
    [InlineData(nameof(RequestChecksumCalculation.WHEN_REQUIRED), false)]
    public async Task Put_Checksum_IsThatOfTheSetting(string calculation, bool hasChecksum)
    {
        await using RawServer server = new(_ => RawServer.Stored);
        S3SinkOptions options = new()
        {
            Client = S3ClientKind.Sdk,
            Bucket = "archive",
            RequestChecksumCalculation = Enum.Parse<RequestChecksumCalculation>(calculation),
        };
        using SdkRequests client = Create(server, options);

        (await client.PutAsync("k"u8.ToArray(), "{}"u8.ToArray(), null, Limit, Token)).Kind.ShouldBe(AwsErrorKind.None);

        RawRequest request = server.Requests.ShouldHaveSingleItem();
        (request.Headers.Keys.Any(name => name.StartsWith("x-amz-checksum-", StringComparison.OrdinalIgnoreCase))
            || request.Headers.ContainsKey("x-amz-trailer")).ShouldBe(hasChecksum);
        request.Headers["If-None-Match"].ShouldBe("*");
    }

    private static SdkRequests Create(RawServer server, S3SinkOptions options)
    {
        AwsCredentialSource credentials = new(() => Task.FromResult<AWSCredentials>(new BasicAWSCredentials("AKIDTEST", "secret")), TimeProvider.System);
        return SdkRequests.Create(options, new S3Endpoint(server.Url, "eu-west-1", PathStyle: true), credentials, DirectSinks.Services());
    }
}
