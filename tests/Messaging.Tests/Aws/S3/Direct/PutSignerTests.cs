using System.Collections.ObjectModel;
using System.Security.Cryptography;
using System.Text;
using Amazon.Runtime;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink.Direct;

namespace Messaging.Tests.Aws.S3.Direct;

/// <summary>The signatures equal those of the readable signer.</summary>
public sealed class PutSignerTests
{
    private const string Date = "20260131T100000Z";
    private const string EmptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private static readonly DateTimeOffset Now = new(2026, 1, 31, 10, 0, 0, TimeSpan.Zero);

    public static TheoryData<string?, string, string?> Requests
    {
        get
        {
            TheoryData<string?, string, string?> requests = [];
            foreach (string? endpoint in (string?[])[
                null, "http://127.0.0.1:9000", "http://[::1]:9000", "https://store.example.com", "https://store.example.com:8443"])
            {
                foreach (string key in (string[])["a/b.json", "a b+c", "é€/漢😀", "..", "a//./../b", "%41", "~=&?#"])
                {
                    requests.Add(endpoint, key, null);
                    requests.Add(endpoint, key, "session/token+=");
                }
            }

            return requests;
        }
    }

    [Theory]
    [MemberData(nameof(Requests))]
    public void Sign_WithoutBody_IsTheSignatureOfWhatIsSent(string? endpoint, string key, string? token)
    {
        (BucketAddress address, PutSigner signer) = Create(endpoint);
        SigningCredentials credentials = new("AKID", "secret", token);
        foreach ((
            HttpMethod method,
            Uri uri) in new[] { (HttpMethod.Head, address.Of(Encoding.UTF8.GetBytes(key))), (HttpMethod.Get, address.OfBucket("list-type=2&max-keys=1")) })
        {
            using HttpRequestMessage request = new(method, uri);

            signer.Sign(request, credentials).ShouldBe(Now);

            string[] target = address.TargetOf(uri).ToString().Split('?');
            request.Headers.NonValidated.Count.ShouldBe(token is null ? 3 : 4);
            request.Headers.NonValidated["Authorization"]
                .ToString()
                .ShouldBe(Expected(method.Method, target[0], target.Length > 1 ? target[1] : "", address, EmptyHash, [], token, credentials));
        }
    }

    [Fact]
    public void Sign_PutWithEveryCombinationOfSettings_IsTheSignatureOfItsHeaders()
    {
        byte[] body = "{}"u8.ToArray();
        string hash = Convert.ToHexStringLower(SHA256.HashData(body));
        int combinations = 0;
        for (int chosen = 0; chosen < 1 << 10; chosen++)
        {
            bool Has(int setting) => (chosen & (1 << setting)) != 0;
            string? token = Has(0) ? "a/token+with=signs" : null;
            S3SinkOptions options = new()
            {
                Bucket = "bucket",
                Conditional = Has(1),
                ServerSideEncryption = Has(2) ? "aws:kms" : null,
                KmsKeyId = Has(3) ? "arn:aws:kms:eu-west-1:123456789012:key/1" : null,
                Tags = Has(4) ? new Dictionary<string, string> { ["a b"] = "c&d" } : ReadOnlyDictionary<string, string>.Empty,
                RequestChecksumCalculation = Has(5) ? RequestChecksumCalculation.WHEN_SUPPORTED : RequestChecksumCalculation.WHEN_REQUIRED,
                Acl = Has(6) ? "private" : null,
                StorageClass = Has(7) ? "STANDARD_IA" : null,
                ExpectedBucketOwner = Has(8) ? "123456789012" : null,
                Metadata = Has(9) ? new Dictionary<string, string> { ["Team_a"] = " a  b " } : ReadOnlyDictionary<string, string>.Empty,
            };
            BucketAddress address = BucketAddress.Create("bucket", new S3Endpoint(Custom: null, "eu-west-1", PathStyle: true));
            ManualTimeProvider time = new(Now);
            PutSigner signer = new(options, "application/json;  charset=utf-8 ", address, "eu-west-1", new AwsClock(time));
            using PutRequest request = signer.CreatePut(time);
            request.Open("product/a b//id.json"u8.ToArray(), body, TimeSpan.FromSeconds(1), CancellationToken.None);
            SigningCredentials credentials = new("AKID", "secret", token);

            signer.Sign(request, credentials).ShouldBe(Now);

            List<(string, string)> headers = [("host", address.Host), ("content-type", "application/json;  charset=utf-8 ")];
            headers.AddRange(
                request.Headers.NonValidated
                    .Where(header => header.Key != "Authorization")
                    .Select(header => (header.Key.ToLowerInvariant(), header.Value.ToString())));
            headers.Count.ShouldBe(4 + int.PopCount(chosen));
            request.Headers.NonValidated["x-amz-content-sha256"].ToString().ShouldBe(hash);
            request.Headers.NonValidated["Authorization"].ToString().ShouldBe(
                ReadableSignature.Authorization("s3", "eu-west-1", "PUT", "/bucket/product/a%20b//id.json", "", headers, body, Date, credentials));
            combinations++;
        }

        combinations.ShouldBe(1_024);
    }

    private static string Expected(
        string method, string path, string query, BucketAddress address, string hash, byte[] body, string? token, SigningCredentials credentials)
    {
        List<(string, string)> headers = [("host", address.Host), ("x-amz-date", Date), ("x-amz-content-sha256", hash)];
        if (token is not null)
        {
            headers.Add(("x-amz-security-token", token));
        }

        return ReadableSignature.Authorization("s3", "eu-west-1", method, path, query, headers, body, Date, credentials);
    }

    private static (BucketAddress Address, PutSigner Signer) Create(string? endpoint)
    {
        BucketAddress address = BucketAddress.Create("bucket", new S3Endpoint(endpoint is null ? null : new Uri(endpoint), "eu-west-1", PathStyle: true));
        return (
            address,
            new PutSigner(new S3SinkOptions { Bucket = "bucket" }, "application/json", address, "eu-west-1", new AwsClock(new ManualTimeProvider(Now))));
    }
}
