using System.Security.Cryptography;
using System.Text;
using Benchmarks.Wire;
using Messaging.Aws;
using Pipeline.Buffers;

namespace Benchmarks.Tests.Wire;

public sealed class SimpleSignerTests
{
    private static readonly DateTimeOffset At = new(2013, 5, 24, 0, 0, 0, TimeSpan.Zero);

    [Fact]
    public void Sign_APut_GivesTheWorkersSignature()
    {
        byte[] body = Encoding.UTF8.GetBytes("Welcome to Amazon S3.");
        string hash = Convert.ToHexStringLower(SHA256.HashData(body));
        using HttpRequestMessage request = new(HttpMethod.Put, "http://127.0.0.1:9000/archive/a/b.json");
        SigV4Signer signer = new("s3", "us-east-1", new AwsClock(TimeProvider.System), BufferPool.Shared);
        SigV4Header[] headers = [new("host", "127.0.0.1:9000"), new("x-amz-date", "20130524T000000Z"), new("x-amz-content-sha256", hash)];
        using PooledBuffer expected = BufferPool.Shared.Rent();
        signer.AppendAuthorization(
            expected,
            new SigV4Request { Method = "PUT", Path = "/archive/a/b.json", Headers = headers, PayloadHash = Encoding.ASCII.GetBytes(hash) },
            new SigningCredentials(WireAccount.AccessKey, WireAccount.SecretKey, null),
            At);

        new SimpleSigner("s3", WireAccount.AccessKey, WireAccount.SecretKey, "us-east-1").Sign(request, body, At);

        request.Headers.GetValues("Authorization").Single().ShouldBe(Encoding.ASCII.GetString(expected.WrittenSpan));
    }
}
