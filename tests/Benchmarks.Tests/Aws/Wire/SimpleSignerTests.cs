using System.Text;
using Amazon;
using Amazon.Runtime;
using Amazon.Runtime.Signing;
using Benchmarks.Aws.Wire;

namespace Benchmarks.Tests.Aws.Wire;

public sealed class SimpleSignerTests
{
    private static readonly DateTimeOffset At = new(2013, 5, 24, 0, 0, 0, TimeSpan.Zero);

    [Fact]
    public void Sign_APut_GivesTheSdksSignature()
    {
        byte[] body = Encoding.UTF8.GetBytes("Welcome to Amazon S3.");
        using HttpRequestMessage request = new(HttpMethod.Put, "http://127.0.0.1:9000/archive/a/b.json");
        AWSSigningResult expected = AWSSigV4Signer.Sign(
            new AWSSigningRequest { HttpMethod = request.Method, RequestUri = request.RequestUri, Content = body },
            new AWSSigV4Parameters
            {
                Credentials = new BasicAWSCredentials(WireAccount.AccessKey, WireAccount.SecretKey),
                Region = RegionEndpoint.USEast1,
                Service = "s3",
                SignedAt = At.UtcDateTime,
            });

        new SimpleSigner("s3", WireAccount.AccessKey, WireAccount.SecretKey, "us-east-1").Sign(request, body, At);

        request.Headers.GetValues("Authorization").Single().ShouldBe(expected.Headers["Authorization"]);
    }
}
