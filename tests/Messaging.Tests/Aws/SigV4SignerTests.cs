using System.Security.Cryptography;
using System.Text;
using Quayside.Messaging.Aws;

namespace Messaging.Tests.Aws;

public sealed class SigV4SignerTests
{
    private static readonly DateTimeOffset SuiteTime = new(2015, 8, 30, 12, 36, 0, TimeSpan.Zero);

    public static TheoryData<string> SuiteNames => [.. SigV4Vectors.Suite.Select(v => v.Name)];

    public static TheoryData<string> S3Names => [.. SigV4Vectors.S3.Select(v => v.Name)];

    [Theory]
    [MemberData(nameof(SuiteNames))]
    public void Sign_SuiteCase_GivesPublishedHeader(string name)
    {
        SigV4Vector vector = SigV4Vectors.Suite.Single(v => v.Name == name);
        SigV4Signer signer = new("service", "us-east-1", new AwsClock(new ManualTimeProvider(SuiteTime)));
        using HttpRequestMessage request =
            new(new HttpMethod(vector.Method), "https://example.amazonaws.com/") { Content = new ByteArrayContent(Encoding.UTF8.GetBytes(vector.Body)) };
        foreach ((string header, string value) in vector.Headers)
        {
            (request.Headers.TryAddWithoutValidation(header, value) || request.Content.Headers.TryAddWithoutValidation(header, value)).ShouldBeTrue();
        }

        signer.Sign(
            request, Encoding.UTF8.GetBytes(vector.Body),
            new SigningCredentials(SigV4Vectors.SuiteAccessKey, SigV4Vectors.SuiteSecretKey, vector.SessionToken));

        AuthorizationOf(request).ShouldBe(
            $"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + $"SignedHeaders={vector.SignedHeaders}, Signature={vector.Signature}");
    }

    [Theory]
    [MemberData(nameof(S3Names))]
    public void Sign_S3Example_SignsPathAndQueryAsTheyAreSent(string name)
    {
        SigV4Vector vector = SigV4Vectors.S3.Single(v => v.Name == name);
        byte[] body = Encoding.UTF8.GetBytes(vector.Body);
        SigV4Signer signer = new("s3", "us-east-1", new AwsClock(new ManualTimeProvider(new DateTimeOffset(2013, 5, 24, 0, 0, 0, TimeSpan.Zero))));
        Uri address = new(
            $"https://examplebucket.s3.amazonaws.com{vector.Path}{(vector.Query.Length == 0 ? "" : "?")}{vector.Query}",
            new UriCreationOptions { DangerousDisablePathAndQueryCanonicalization = true });
        using HttpRequestMessage request = new(new HttpMethod(vector.Method), address);
        foreach ((string header, string value) in vector.Headers)
        {
            request.Headers.TryAddWithoutValidation(header, value).ShouldBeTrue();
        }

        request.Headers.TryAddWithoutValidation("X-Amz-Content-Sha256", Convert.ToHexStringLower(SHA256.HashData(body)));

        signer.Sign(request, body, new SigningCredentials(SigV4Vectors.S3AccessKey, SigV4Vectors.S3SecretKey, sessionToken: null));

        AuthorizationOf(request).ShouldBe(
            $"AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                + $"SignedHeaders={vector.SignedHeaders}, Signature={vector.Signature}");
    }

    [Fact]
    public void Sign_SessionToken_IsSentAndSigned()
    {
        SigV4Vector vector = SigV4Vectors.Suite.Single(v => v.Name == "post-sts-header-before");
        SigV4Signer signer = new("service", "us-east-1", new AwsClock(new ManualTimeProvider(SuiteTime)));
        using HttpRequestMessage request = new(HttpMethod.Post, "https://example.amazonaws.com/");

        signer.Sign(request, [], new SigningCredentials(SigV4Vectors.SuiteAccessKey, SigV4Vectors.SuiteSecretKey, vector.SessionToken));

        AuthorizationOf(request).ShouldEndWith($"SignedHeaders={vector.SignedHeaders}, Signature={vector.Signature}");
        request.Headers.NonValidated["X-Amz-Security-Token"].ToString().ShouldBe(vector.SessionToken);
        request.Headers.Contains("X-Amz-Content-Sha256").ShouldBeFalse();
    }

    [Fact]
    public void Sign_Twice_ReplacesItsHeaders()
    {
        ManualTimeProvider time = new(SuiteTime);
        SigV4Signer signer = new("service", "us-east-1", new AwsClock(time));
        SigningCredentials credentials = new("AKID", "secret", "token");
        using HttpRequestMessage request = new(HttpMethod.Get, "https://example.amazonaws.com/");

        signer.Sign(request, [], credentials);
        string first = AuthorizationOf(request);
        time.Advance(TimeSpan.FromSeconds(1));
        signer.Sign(request, [], new SigningCredentials("AKID", "secret", sessionToken: null));

        AuthorizationOf(request).ShouldNotBe(first);
        request.Headers.NonValidated["X-Amz-Date"].ToString().ShouldBe("20150830T123601Z");
        request.Headers.Contains("X-Amz-Security-Token").ShouldBeFalse();
    }

    [Fact]
    public void Sign_NextDayOrOtherSecret_DoesNotUseTheCachedKey()
    {
        ManualTimeProvider time = new(SuiteTime);
        SigV4Signer reused = new("service", "us-east-1", new AwsClock(time));
        SigningCredentials first = new("AKID", "secret", sessionToken: null);
        SigningCredentials second = new("AKID", "other", sessionToken: null);

        foreach (SigningCredentials credentials in (SigningCredentials[])[first, second, first])
        {
            for (int day = 0; day < 2; day++)
            {
                SigV4Signer fresh = new("service", "us-east-1", new AwsClock(time));
                Authorize(reused, credentials).ShouldBe(Authorize(fresh, credentials));
                time.Advance(TimeSpan.FromDays(1));
            }
        }
    }

    [Fact]
    public void Sign_HeadersTheClientOrAProxyMayChange_AreNotSigned()
    {
        SigV4Signer signer = new("sqs", "us-east-1", new AwsClock(new ManualTimeProvider(SuiteTime)));
        using HttpRequestMessage request = new(HttpMethod.Post, "https://[::1]:4566/") { Content = new StringContent("{}") };
        request.Headers.TryAddWithoutValidation("User-Agent", "worker");
        request.Headers.TryAddWithoutValidation("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        request.Headers.TryAddWithoutValidation("X-Amz-Target", "AmazonSQS.ReceiveMessage");
        request.Content.Headers.ContentLength.ShouldBe(2);

        signer.Sign(request, "{}"u8, new SigningCredentials("AKID", "secret", sessionToken: null));

        AuthorizationOf(request).ShouldContain("SignedHeaders=content-type;host;x-amz-date;x-amz-target,");
    }

    private static string Authorize(SigV4Signer signer, SigningCredentials credentials)
    {
        using HttpRequestMessage request = new(HttpMethod.Get, "https://example.amazonaws.com/");
        signer.Sign(request, [], credentials);
        return AuthorizationOf(request);
    }

    private static string AuthorizationOf(HttpRequestMessage request) => request.Headers.NonValidated["Authorization"].ToString();
}
