using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Aws.S3.Sink.Direct;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Aws.S3.Direct;

/// <summary>Answers of proxies, broken stores and other servers to a PUT: never a crash, never a hang, never a success.</summary>
public sealed class HostileAnswerTests
{
    private const string Page = "<html><body>502 Bad Gateway</body></html>";
    private const string Named = "ETag: \"x\"\r\n";

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, "NotAnS3Answer")]
    [InlineData("HTTP/1.1 200 OK\r\nETag:\r\nContent-Length: 0\r\n\r\n", false, "NotAnS3Answer")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>", false, "NotAnS3Answer")]
    [InlineData("HTTP/1.1 200 OK\r\n" + Named + "Content-Length: 6\r\n\r\n<html>", false, "NotAnS3Answer")]
    [InlineData("HTTP/1.1 200 OK\r\n" + Named + "Transfer-Encoding: chunked\r\n\r\n6\r\n<html>\r\n0\r\n\r\n", false, "NotAnS3Answer")]
    [InlineData("HTTP/1.1 204 No Content\r\n" + Named + "\r\n", false, "NotAnS3Answer")]
    [InlineData("HTTP/1.1 206 Partial Content\r\n" + Named + "Content-Length: 0\r\n\r\n", false, "NotAnS3Answer")]
    [InlineData("HTTP/1.1 200 OK\r\n" + Named + "Content-Length: 9\r\n\r\n<Put", true, "ConnectionError")]
    [InlineData("HTTP/1.1 200 OK\r\n" + Named + "Transfer-Encoding: chunked\r\n\r\n4\r\n<Put\r\n", true, "ConnectionError")]
    [InlineData("HTTP/1.1 200 OK\r\n" + Named + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", true, "NotAnS3Answer")]
    [InlineData("HTTP/1.1 200 OK\r\n" + Named + "Content-Len", true, "ConnectionError")]
    [InlineData("HTTP/1.1 200 OK\r\n" + Named + "Content-Length: -1\r\n\r\n", true, "NotAnS3Answer")]
    [InlineData("HTTP/1.1 200 OK\r\n" + Named + "\r\n", true, "NotAnS3Answer")]
    [InlineData("HTTP/1.1 2", true, "ConnectionError")]
    [InlineData("", true, "ConnectionError")]
    [InlineData("SSH-2.0-OpenSSH_9.6\r\n", true, "NotAnS3Answer")]
    [InlineData("\0\0\0\0\u0016\u0003\u0001", true, "")]
    [InlineData("HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 41\r\n\r\n" + Page, false, "BadGateway")]
    [InlineData("HTTP/1.1 502 Bad Gateway\r\n\r\n" + Page, true, "BadGateway")]
    [InlineData("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 400\r\n\r\n" + Page, true, "ConnectionError")]
    [InlineData("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 5\r\n\r\n" + Page, false, "BadGateway")]
    [InlineData("HTTP/1.1 503 Slow\r\nContent-Length: 30\r\n\r\n<Error><Code>SlowDown</Code><Me", false, "SlowDown")]
    [InlineData(
        "HTTP/1.1 500 E\r\nContent-Length: 71\r\n\r\n<!DOCTYPE x [<!ENTITY a \"SlowDown\">]><Error><Code>&a;</Code></Error>   ", false, "InternalServerError")]
    public async Task Put_AnswerThatIsNoSuccess_IsTransientAndTheNextPutIsRight(string answer, bool close, string code)
    {
        int requests = 0;
        await using RawServer server = new(_ => Interlocked.Increment(ref requests) == 1 ? new RawReply(answer, close) : RawServer.Stored);
        BufferPool buffers = new();
        using DirectRequests client = DirectSinks.Requests(server.Url, buffers: buffers);

        S3Fault first = await PutAsync(client, 1);
        S3Fault second = await PutAsync(client, 2);

        first.Kind.ShouldBe(code == "SlowDown" ? AwsErrorKind.Throttled : AwsErrorKind.Transient, first.ToString());
        if (code.Length > 0)
        {
            first.Code.ShouldBe(code);
        }

        second.ShouldBe(S3Fault.None);
        server.Requests.Select(request => request.Body[0]).ShouldBe([(byte)1, (byte)2]);
        buffers.Outstanding.ShouldBe(0);
    }

    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\n" + Named + "Transfer-Encoding: chunked\r\n\r\n", "1000\r\n", "NotAnS3Answer")]
    [InlineData("HTTP/1.1 200 OK\r\n" + Named, "X-More: ", "NotAnS3Answer")]
    [InlineData("HTTP/1.1 502 Bad Gateway\r\n\r\n", "<p>", "BadGateway")]
    public async Task Put_AnswerWithoutEnd_IsCutOff(string answer, string more, string code)
    {
        await using RawServer server = new(_ => new RawReply(answer, Endless: more.EndsWith("\r\n", StringComparison.Ordinal)
            ? more + new string(' ', 0x1000) + "\r\n"
            : more + new string('x', 4_000) + "\r\n"));
        using DirectRequests client = DirectSinks.Requests(server.Url);

        S3Fault fault = await PutAsync(client, 1);

        (fault.Kind, fault.Code).ShouldBe((AwsErrorKind.Transient, code));
    }

    [Theory]
    [InlineData("")]
    [InlineData("HTTP/1.1 100 Continue\r\n\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\n" + Named + "Content-Length: 10\r\n\r\n12345")]
    [InlineData("HTTP/1.1 503 Slow\r\nContent-Length: 10\r\n\r\n12345")]
    public async Task Put_AnswerThatStops_EndsWithItsTime(string answer)
    {
        await using RawServer server = new(_ => answer);
        using DirectRequests client = DirectSinks.Requests(server.Url);

        S3Fault fault = await client.PutAsync("k"u8.ToArray(), new byte[10], null, TimeSpan.FromMilliseconds(300), Token);

        fault.ShouldBe(new S3Fault(AwsErrorKind.Transient, "Timeout", MayHaveCommitted: true));
    }

    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", null)]
    [InlineData("HTTP/1.1 200 OK\r\nETag: \"x\"\r\nTransfer-Encoding: chunked\r\n\r\n", null)]
    [InlineData("HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 3\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")]
    [InlineData("HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 3\r\n\r\n", "HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 3\r\n\r\nxy")]
    [InlineData("HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 3\r\n\r\n", "HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 2\r\n\r\nxy")]
    [InlineData("HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 3\r\n\r\n", "HTTP/1.1 200 OK\r\nETag: \"x\"\r\n\r\nxy")]
    [InlineData("HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 3\r\n\r\n", "HTTP/1.1 200 OK\r\nETag: \"x\"\r\n\r\nxyz")]
    public async Task Compare_AnswerNotFromS3_IsNeitherADuplicateNorACollision(string head, string? get)
    {
        await using RawServer server = new(request => new RawReply(request.Method == "HEAD" ? head : get!, Close: true));
        using DirectRequests client = DirectSinks.Requests(server.Url);

        (S3Fault fault, _, bool same) = await client.CompareAsync("k"u8.ToArray(), "xyz"u8.ToArray(), Limit, Token);

        (fault.Kind, same).ShouldBe((AwsErrorKind.Transient, false), fault.ToString());
    }

    [Fact]
    public async Task Store_ConnectionDiedWhileIdle_IsStoredByTheRetry()
    {
        // The server closes only its half, and only when the next request has arrived, so the client cannot notice earlier.
        int requests = 0;
        await using RawServer server = new(_ => Interlocked.Increment(ref requests) == 2 ? new RawReply("", Close: true) : RawServer.Stored);
        await using S3Sink sink = DirectSinks.Sink(server.Url);

        (await sink.StoreAsync("a"u8.ToArray(), new byte[] { 1 }, Token)).ShouldBe(SinkResult.Stored);
        (await sink.StoreAsync("b"u8.ToArray(), new byte[] { 2 }, Token)).ShouldBe(SinkResult.Stored);

        server.Requests.Select(request => (request.Connection, request.Target)).ShouldBe([(1, "/archive/a"), (1, "/archive/b"), (2, "/archive/b")]);
    }

    [Fact]
    public async Task Store_Redirect_NamesTheRegionAndIsNotFollowed()
    {
        await using RawServer other = new(_ => RawServer.Stored);
        foreach (int status in (int[])[301, 307])
        {
            await using RawServer server = new(_ =>
                $"HTTP/1.1 {status} Moved\r\nLocation: {other.Url}archive/k\r\nx-amz-bucket-region: eu-central-1\r\nContent-Length: 0\r\n\r\n");
            await using S3Sink sink = DirectSinks.Sink(server.Url);

            SinkResult result = await sink.StoreAsync("k"u8.ToArray(), new byte[1], Token);

            result.Status.ShouldBe(SinkStatus.Refused);
            result.Detail!.ShouldContain("region eu-central-1: set Sinks:S3:Region");
            server.Requests.Length.ShouldBe(1);
        }

        other.Requests.ShouldBeEmpty();
    }

    private static ValueTask<S3Fault> PutAsync(DirectRequests client, byte value) =>
        client.PutAsync("k"u8.ToArray(), new[] { value, value, value }, null, Limit, Token);
}
