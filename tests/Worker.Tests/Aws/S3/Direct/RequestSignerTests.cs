using System.Text;
using Messaging.Aws;
using Messaging.Aws.S3;
using Messaging.Aws.S3.Sink.Direct;

namespace Worker.Tests.Aws.S3.Direct;

/// <summary>The signatures of the worker's signer and the SDK's equal those of the readable signer.</summary>
public sealed class RequestSignerTests
{
    private const string Date = "20260131T100000Z";
    private const string EmptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private static readonly DateTimeOffset Now = new(2026, 1, 31, 10, 0, 0, TimeSpan.Zero);

    public static TheoryData<string?, string, string?> Requests
    {
        get
        {
            TheoryData<string?, string, string?> requests = [];
            foreach (string? endpoint in (string?[])[null, "http://127.0.0.1:9000", "http://[::1]:9000", "https://store.example.com", "https://store.example.com:8443"])
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
        (BucketAddress address, RequestSigner signer) = Create(endpoint);
        SigningCredentials credentials = new("AKID", "secret", token);
        foreach ((HttpMethod method, Uri uri) in new[] { (HttpMethod.Head, address.Of(Encoding.UTF8.GetBytes(key))), (HttpMethod.Get, address.OfBucket("list-type=2&max-keys=1")) })
        {
            using HttpRequestMessage request = new(method, uri);

            signer.Sign(request, credentials).ShouldBe(Now);

            string[] target = address.TargetOf(uri).ToString().Split('?');
            request.Headers.NonValidated.Count.ShouldBe(token is null ? 3 : 4);
            request.Headers.NonValidated["Authorization"].ToString().ShouldBe(Expected(method.Method, target[0], target.Length > 1 ? target[1] : "", address, EmptyHash, [], token, credentials));
        }
    }

    private static string Expected(string method, string path, string query, BucketAddress address, string hash, byte[] body, string? token, SigningCredentials credentials)
    {
        List<(string, string)> headers = [("host", address.Host), ("x-amz-date", Date), ("x-amz-content-sha256", hash)];
        if (token is not null)
        {
            headers.Add(("x-amz-security-token", token));
        }

        return ReadableSignature.Authorization("s3", "eu-west-1", method, path, query, headers, body, Date, credentials);
    }

    private static (BucketAddress Address, RequestSigner Signer) Create(string? endpoint)
    {
        BucketAddress address = BucketAddress.Create("bucket", new S3Endpoint(endpoint is null ? null : new Uri(endpoint), "eu-west-1", PathStyle: true));
        return (address, new RequestSigner(new S3SinkOptions { Bucket = "bucket" }, "application/json", address, "eu-west-1", new AwsClock(new ManualTimeProvider(Now))));
    }
}
