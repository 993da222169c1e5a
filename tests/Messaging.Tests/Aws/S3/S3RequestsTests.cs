using System.Text;
using Amazon.Runtime;
using Messaging.Tests.Aws.S3.Direct;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Aws.S3.Sink.Sdk;

namespace Messaging.Tests.Aws.S3;

/// <summary>What both clients do.</summary>
public sealed class S3RequestsTests
{
    private const string Expired =
        "HTTP/1.1 400 Bad Request\r\nContent-Type: application/xml\r\nContent-Length: 40\r\n\r\n<Error><Code>ExpiredToken</Code></Error>";

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("Sdk")]
    [InlineData("Direct")]
    public async Task Put_SeveralRequestsExpiredTogether_FetchesOnce(string client)
    {
        int fetched = 0;
        TaskCompletionSource<AWSCredentials> first = new(TaskCreationOptions.RunContinuationsAsynchronously);
        AwsCredentialSource credentials = new(
            () => Interlocked.Increment(ref fetched) == 1 ? first.Task : Task.FromResult<AWSCredentials>(new BasicAWSCredentials("AKID2", "s")),
            new ManualTimeProvider());
        await using RawServer server =
            new(request => request.Headers["Authorization"].Contains("AKID1", StringComparison.Ordinal) ? Expired : RawServer.Stored);
        using IS3Requests requests = Open(client, server, credentials);

        // The SDK may ask for keys later, on a thread of its own: its second request is then signed with the new ones.
        Task<S3Fault>[] puts = [PutAsync(requests, "a"), PutAsync(requests, "b")];
        first.SetResult(new BasicAWSCredentials("AKID1", "s"));

        (await Task.WhenAll(puts)).ShouldBe([S3Fault.None, S3Fault.None]);
        server.Requests.Length.ShouldBeInRange(client == "Sdk" ? 3 : 4, 4);
        fetched.ShouldBe(2);
    }

    [Theory]
    [InlineData("Sdk")]
    [InlineData("Direct")]
    public async Task Put_ExpiredAndTheSourceOfKeysFails_IsRefusedForTheSource(string client)
    {
        int fetched = 0;
        AwsCredentialSource credentials = new(
            () => Interlocked.Increment(ref fetched) == 1
                ? Task.FromResult<AWSCredentials>(new BasicAWSCredentials("AKID1", "s"))
                : throw new AmazonClientException("no role"), new ManualTimeProvider());
        await using RawServer server = new(_ => Expired);
        using IS3Requests requests = Open(client, server, credentials);

        S3Fault fault = await PutAsync(requests, "a");

        (fault.Kind, fault.Code).ShouldBe((AwsErrorKind.Refused, "CredentialsUnavailable"));
        server.Requests.Length.ShouldBe(1);
    }

    [Theory]
    [InlineData("Sdk")]
    [InlineData("Direct")]
    public async Task Put_RefusedWithAMessage_KeepsItAndNamesTheSetting(string client)
    {
        const string Message = "Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters";
        await using RawServer server = new(_ => Error("InvalidRequest", Message));
        using IS3Requests requests = Open(client, server, DirectSinks.Credentials());

        S3Fault fault = await PutAsync(requests, "a");

        (fault.Kind, fault.Code, fault.Detail).ShouldBe((AwsErrorKind.Refused, "InvalidRequest", Message));
        fault.Describe(S3Operations.Put).ShouldBe($"S3 PutObject: InvalidRequest (400, request R1): {Message}");
        S3Advice.For(fault, S3Operations.Put, "archive").ShouldContain("Sinks:S3:RequestChecksumCalculation=WHEN_SUPPORTED");
    }

    [Theory]
    [InlineData("Sdk", "KMS.DisabledException", "KmsDisabled")]
    [InlineData("Direct", "KMS.DisabledException", "KmsDisabled")]
    [InlineData("Direct", "KMS.NotFoundException", "KmsNotFound")]
    [InlineData("Direct", "KMS.KMSInvalidStateException", "KmsInvalidState")]
    public async Task Put_KeyCannotBeUsed_NamesTheKey(string client, string code, string expected)
    {
        await using RawServer server = new(_ => Error(code, "arn:aws:kms:eu-west-1:1:key/a is disabled."));
        using IS3Requests requests = Open(client, server, DirectSinks.Credentials());

        S3Fault fault = await PutAsync(requests, "a");

        (fault.Kind, fault.Code).ShouldBe((AwsErrorKind.Refused, expected));
        S3Advice.For(fault, S3Operations.Put, "archive").ShouldContain("Enable the KMS key");
    }

    [Theory]
    [InlineData("Sdk")]
    [InlineData("Direct")]
    public async Task Put_RefusedWithAnUnboundedMessage_IsOneBoundedLine(string client)
    {
        await using RawServer server = new(_ => Error("InvalidRequest", $"first line\nsecond {new string('x', 2_000)}"));
        using IS3Requests requests = Open(client, server, DirectSinks.Credentials());

        S3Fault fault = await PutAsync(requests, "a");

        fault.Detail.ShouldNotBeNull().ShouldStartWith("first line\\u000asecond");
        fault.Detail.Length.ShouldBeLessThan(300);
    }

    [Theory]
    [InlineData("Sdk", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")]
    [InlineData("Direct", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")]
    [InlineData("Sdk", "HTTP/1.1 400 Bad Request\r\nContent-Length: 48\r\n\r\nClient sent an HTTP request to an HTTPS server.\n")]
    [InlineData("Direct", "HTTP/1.1 400 Bad Request\r\nContent-Length: 48\r\n\r\nClient sent an HTTP request to an HTTPS server.\n")]
    [InlineData("Sdk", "HTTP/1.1 404 Not Found\r\nContent-Length: 6\r\n\r\n<html>")]
    [InlineData("Direct", "HTTP/1.1 404 Not Found\r\nContent-Length: 6\r\n\r\n<html>")]
    [InlineData("Sdk", "HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n")]
    [InlineData("Direct", "HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n")]
    [InlineData("Direct", "\u0015\u0003\u0003\u0000\u0002\u0002\u0016\r\n\r\n")]
    public async Task PutAndList_AnotherServerAnswers_SaysThatItIsNotS3(string client, string answer)
    {
        await using RawServer server = new(_ => answer);
        using IS3Requests requests = Open(client, server, DirectSinks.Credentials());

        (await PutAsync(requests, "a")).Detail.ShouldNotBeNull().ShouldStartWith(S3Fault.NotS3Detail);
        (await requests.ListAsync(Limit, Token)).Detail.ShouldNotBeNull().ShouldStartWith(S3Fault.NotS3Detail);
    }

    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")]
    [InlineData("HTTP/1.1 400 Bad Request\r\nContent-Length: 48\r\n\r\nClient sent an HTTP request to an HTTPS server.\n")]
    [InlineData("HTTP/1.1 403 Forbidden\r\nContent-Length: 22\r\n\r\n<html><h1>Denied</h1>\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: 22\r\n\r\n<EnumerationResults />")]
    public async Task Check_AnotherServerAnswers_IsAProblemThatNamesTheEndpoint(string answer)
    {
        await using RawServer server = new(_ => answer);
        await using S3Sink sink = DirectSinks.Sink(server.Url);

        await sink.CheckAsync(Token);

        sink.Problem.ShouldNotBeNull().ShouldStartWith("The bucket 'archive' is not at its endpoint: S3 ListObjectsV2: ");
        sink.Problem.ShouldContain("check scheme, port and path of Sinks:S3:Endpoint");
    }

    [Fact]
    public async Task Check_PageOfAProxy_IsQuotedInOneLine()
    {
        await using RawServer server = new(_ => $"HTTP/1.1 404 Not Found\r\nContent-Length: 120\r\n\r\n{"<html>\r\n<h1>404</h1>".PadRight(120, 'x')}");
        await using S3Sink sink = DirectSinks.Sink(server.Url);

        await sink.CheckAsync(Token);

        sink.Problem.ShouldNotBeNull().ShouldEndWith($"It sent \"{"<html> <h1>404</h1>".PadRight(79, 'x')}\".");
    }

    [Theory]
    [InlineData("Sdk")]
    [InlineData("Direct")]
    public async Task Put_EndpointWithAPath_IsBelowIt(string client)
    {
        await using RawServer server = new(_ => RawServer.Stored);
        using IS3Requests requests = Open(client, server, DirectSinks.Credentials(), "/storage/v1/s3");

        (await PutAsync(requests, "a/b")).ShouldBe(S3Fault.None);

        server.Requests.ShouldHaveSingleItem().Target.ShouldStartWith("/storage/v1/s3/archive/a/b");
    }

    private static string Error(string code, string message)
    {
        string body = $"<Error><Code>{code}</Code><Message>{message}</Message><RequestId>R1</RequestId></Error>";
        return $"HTTP/1.1 400 Bad Request\r\nx-amz-request-id: R1\r\nContent-Type: application/xml\r\nContent-Length: {body.Length}\r\n\r\n{body}";
    }

    private static IS3Requests Open(string client, RawServer server, AwsCredentialSource credentials, string path = "/") => client == "Sdk"
        ? SdkRequests.Create(DirectSinks.Options, new S3Endpoint(new Uri(server.Url, path), "eu-west-1", PathStyle: true), credentials, DirectSinks.Services())
        : DirectSinks.Requests(new Uri(server.Url, path), credentials: credentials);

    private static async Task<S3Fault> PutAsync(IS3Requests requests, string key) =>
        await requests.PutAsync(Encoding.UTF8.GetBytes(key), new byte[1], null, Limit, Token);
}
