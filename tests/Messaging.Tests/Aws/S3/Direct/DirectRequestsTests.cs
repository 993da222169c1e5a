using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using Amazon.Runtime;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink.Direct;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Aws.S3.Direct;

/// <summary>The requests on the wire; a reused request object carries nothing of its previous use.</summary>
public sealed class DirectRequestsTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Put_Request_HasTheHeadersOfTheSettingsAndNoOthers()
    {
        await using RawServer server = new(_ => RawServer.Stored);
        S3SinkOptions options = new()
        {
            Client = S3ClientKind.Auto,
            Bucket = "archive",
            ServerSideEncryption = "aws:kms",
            KmsKeyId = "my-key",
            StorageClass = "STANDARD_IA",
            RequestChecksumCalculation = RequestChecksumCalculation.WHEN_SUPPORTED,
        };
        using DirectRequests client = DirectSinks.Requests(server.Url, options);
        byte[] body = Encoding.UTF8.GetBytes("{\"a\":1}");

        (await client.PutAsync("k"u8.ToArray(), body, null, Limit, Token)).ShouldBe(S3Fault.None);

        RawRequest request = server.Requests.Single();
        request.Body.ShouldBe(body);
        request.Headers.Keys.Order(StringComparer.OrdinalIgnoreCase).ShouldBe(
        [
            "Authorization", "Content-Length", "Content-Type", "Host", "If-None-Match", "x-amz-checksum-sha256", "x-amz-content-sha256", "x-amz-date",
            "x-amz-server-side-encryption", "x-amz-server-side-encryption-aws-kms-key-id", "x-amz-storage-class",
        ]);
        request.Headers["x-amz-content-sha256"].ShouldBe(Convert.ToHexStringLower(SHA256.HashData(body)));
        request.Headers["x-amz-checksum-sha256"].ShouldBe(Convert.ToBase64String(SHA256.HashData(body)));
        request.Headers["Content-Type"].ShouldBe("application/json");
        request.Headers["Authorization"].ShouldContain(
            "SignedHeaders=content-type;host;if-none-match;x-amz-checksum-sha256;x-amz-content-sha256;x-amz-date;x-amz-server-side-encryption;x-amz-server-side-encryption-aws-kms-key-id;x-amz-storage-class,");
    }

    [Fact]
    public async Task Requests_OneAfterAnother_AreSignedAsTheyAreSent()
    {
        // Recomputed from the bytes on the wire by the signer that AWS's own suite tests.
        ManualTimeProvider time = new(new DateTimeOffset(2026, 11, 21, 12, 0, 0, TimeSpan.Zero));
        ConcurrentQueue<AWSCredentials> keys = new([new SessionAWSCredentials("AKID1", "s1", "token-1"), new BasicAWSCredentials("AKID2", "s2")]);
        SessionAWSCredentials last = new("AKID3", "s3", "token-3");
        AwsCredentialSource credentials = new(() => Task.FromResult(keys.TryDequeue(out AWSCredentials? next) ? next : last), time);
        await using RawServer server = new(_ => RawServer.Stored);
        using DirectRequests client = DirectSinks.Requests(server.Url, credentials: credentials, time: time);
        for (int i = 0; i < 3; i++)
        {
            (await client.PutAsync(Encoding.UTF8.GetBytes($"k {i}/ü"), new byte[i * 700], null, Limit, Token)).ShouldBe(S3Fault.None);
            time.Advance(TimeSpan.FromMinutes(1));
        }

        await client.ListAsync(Limit, Token);

        (string Id, string Secret, string? Session)[] expected =
            [("AKID1", "s1", "token-1"), ("AKID2", "s2", null), ("AKID3", "s3", "token-3"), ("AKID3", "s3", "token-3")];
        server.Requests.Length.ShouldBe(4);
        server.Requests.Select(request => request.Connection).Distinct().ShouldHaveSingleItem();
        for (int i = 0; i < 4; i++)
        {
            RawRequest request = server.Requests[i];
            request.Headers["Authorization"].ShouldBe(Authorization(request, new SigningCredentials(expected[i].Id, expected[i].Secret, expected[i].Session)));
            request.Headers["x-amz-date"].ShouldBe($"20261121T120{i}00Z");
            request.Headers.GetValueOrDefault("x-amz-security-token").ShouldBe(expected[i].Session);
            request.Body.Length.ShouldBe(i * 700 % 2_100);
        }

        server.Requests[3].Line.ShouldBe("GET /archive/?list-type=2&max-keys=1 HTTP/1.1");
    }

    [Theory]
    [InlineData("http://store.example", "archive.store.example")]
    [InlineData("http://store.example:9000", "archive.store.example:9000")]
    public async Task Put_BucketInTheHostName_IsSentAndSignedForThatHost(string endpoint, string host)
    {
        await using RawServer server = new(_ => RawServer.Stored);
        SocketsHttpHandler handler = AwsHttpHandler.Create(1);
        handler.ConnectCallback = async (_, token) =>
        {
            Socket socket = new(SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(IPAddress.Loopback, server.Url.Port, token);
            return new NetworkStream(socket, ownsSocket: true);
        };
        BucketAddress address = BucketAddress.Create("archive", new S3Endpoint(new Uri(endpoint), "eu-west-1", PathStyle: false));
        using DirectRequests client = new(
            DirectSinks.Options, address, "eu-west-1", DirectSinks.Credentials(), handler, DirectSinks.Services(), BufferPool.Shared, retained: 1);

        (await client.PutAsync("a/k"u8.ToArray(), new byte[3], null, Limit, Token)).ShouldBe(S3Fault.None);
        await client.ListAsync(Limit, Token);

        server.Requests.Select(request => request.Line).ShouldBe(["PUT /a/k HTTP/1.1", "GET /?list-type=2&max-keys=1 HTTP/1.1"]);
        foreach (RawRequest request in server.Requests)
        {
            request.Headers["Host"].ShouldBe(host);
            request.Headers["Authorization"].ShouldBe(Authorization(request, new SigningCredentials("AKIDTEST", "secret", sessionToken: null)));
        }
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(1)]
    public async Task Put_ClockRefused_IsSentOnceMoreWithTheStoresTime(int hours)
    {
        ManualTimeProvider time = new(new DateTimeOffset(2026, 11, 21, 12, 0, 0, TimeSpan.Zero));
        string date = time.GetUtcNow().AddHours(hours).ToString("R");
        await using RawServer server = new(_ =>
            $"HTTP/1.1 403 Forbidden\r\nDate: {date}\r\nContent-Length: 49\r\n\r\n<Error><Code>RequestTimeTooSkewed</Code></Error>\n");
        using DirectRequests client = DirectSinks.Requests(server.Url, time: time);

        (await client.PutAsync("k"u8.ToArray(), default, null, Limit, Token)).Kind.ShouldBe(AwsErrorKind.ClockSkew);

        server.Requests.Select(request => request.Headers["x-amz-date"]).ShouldBe(["20261121T120000Z", $"20261121T{12 + hours}0000Z"]);
    }

    [Fact]
    public async Task Compare_HeadRefusedWithAWrongClock_IsSentOnceMoreWithTheStoresTime()
    {
        // A HEAD's answer has no body with an error code.
        ManualTimeProvider time = new(new DateTimeOffset(2026, 11, 21, 12, 0, 0, TimeSpan.Zero));
        string date = time.GetUtcNow().AddHours(1).ToString("R");
        await using RawServer server = new(request => request.Headers["x-amz-date"] == "20261121T130000Z"
            ? "HTTP/1.1 404 Not Found\r\n\r\n"
            : $"HTTP/1.1 403 Forbidden\r\nDate: {date}\r\n\r\n");
        using DirectRequests client = DirectSinks.Requests(server.Url, time: time);

        (S3Fault fault, _, _) = await client.CompareAsync("k"u8.ToArray(), default, Limit, Token);

        fault.Kind.ShouldBe(AwsErrorKind.Missing);
        server.Requests.Length.ShouldBe(2);
    }

    [Theory]
    [InlineData("token", AwsErrorKind.ExpiredCredentials)]
    [InlineData(null, AwsErrorKind.Refused)]
    internal async Task Compare_HeadAnswered400_IsAnExpiredSessionIfThereIsOne(string? session, AwsErrorKind kind)
    {
        // A HEAD's answer has no body with an error code.
        AWSCredentials keys = session is null ? new BasicAWSCredentials("AKID", "secret") : new SessionAWSCredentials("AKID", "secret", session);
        await using RawServer server = new(_ => "HTTP/1.1 400 Bad Request\r\n\r\n");
        using DirectRequests client = DirectSinks.Requests(server.Url, credentials: DirectSinks.Credentials(keys));

        (S3Fault fault, _, _) = await client.CompareAsync("k"u8.ToArray(), default, Limit, Token);

        fault.Kind.ShouldBe(kind);
    }

    [Fact]
    public async Task Put_Cancelled_ThrowsForThatTokenAndTheRequestIsNotReused()
    {
        await using RawServer server = new(request => request.Target == "/archive/hang" ? "" : RawServer.Stored);
        using DirectRequests client = DirectSinks.Requests(server.Url);
        using CancellationTokenSource source = new();
        Task<S3Fault> put = client.PutAsync("hang"u8.ToArray(), new byte[3], null, Limit, source.Token).AsTask();
        await server.WaitForAsync(1);

        await source.CancelAsync();

        (await Should.ThrowAsync<OperationCanceledException>(put)).CancellationToken.ShouldBe(source.Token);
        (await client.PutAsync("k"u8.ToArray(), new byte[3], null, Limit, Token)).ShouldBe(S3Fault.None);
        server.Requests[1].Connection.ShouldBe(2);
    }

    [Fact]
    public async Task Put_CallerCancelsAfterwards_DoesNotTouchTheNextRequest()
    {
        await using RawServer server = new(_ => RawServer.Stored);
        using DirectRequests client = DirectSinks.Requests(server.Url);
        for (int i = 0; i < 100; i++)
        {
            using CancellationTokenSource source = new();
            (await client.PutAsync("k"u8.ToArray(), new byte[3], null, Limit, source.Token)).ShouldBe(S3Fault.None);
            Task<S3Fault> next = client.PutAsync("k"u8.ToArray(), new byte[3], null, Limit, Token).AsTask();
            await source.CancelAsync();
            (await next).ShouldBe(S3Fault.None);
        }
    }

    [Fact]
    public async Task Put_TimeoutOfAnEarlierRequest_DoesNotApplyToTheNext()
    {
        await using RawServer server = new(_ => RawServer.Stored);
        ManualTimeProvider time = new();
        using DirectRequests client = DirectSinks.Requests(server.Url, time: time);
        (await client.PutAsync("k"u8.ToArray(), default, null, TimeSpan.FromMilliseconds(500), Token)).ShouldBe(S3Fault.None);

        time.Advance(TimeSpan.FromMilliseconds(700));

        (await client.PutAsync("k"u8.ToArray(), default, null, Limit, Token)).ShouldBe(S3Fault.None);
    }

    [Theory]
    [InlineData("<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"></ListBucketResult>", AwsErrorKind.None)]
    [InlineData("<html>sign in</html>", AwsErrorKind.Transient)]
    [InlineData("", AwsErrorKind.Transient)]
    public async Task List_OnlyAListing_IsAccepted(string body, object kind)
    {
        await using RawServer server = new(_ => $"HTTP/1.1 200 OK\r\nContent-Length: {body.Length}\r\n\r\n{body}");
        using DirectRequests client = DirectSinks.Requests(server.Url);

        (await client.ListAsync(Limit, Token)).Kind.ShouldBe((AwsErrorKind)kind);
    }

    private static string Authorization(RawRequest request, SigningCredentials credentials)
    {
        string[] target = request.Target.Split('?');
        IEnumerable<(string, string)> headers =
            request.Headers.Where(header => header.Key is not ("Authorization" or "Content-Length")).Select(header => (header.Key, header.Value));
        return ReadableSignature.Authorization(
            "s3", "eu-west-1", request.Method, target[0], target.Length > 1 ? target[1] : "", headers, request.Body, request.Headers["x-amz-date"],
            credentials);
    }
}
