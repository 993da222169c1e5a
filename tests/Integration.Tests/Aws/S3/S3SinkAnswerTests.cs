using System.Collections.Concurrent;
using System.Text;
using Microsoft.AspNetCore.Http;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Sinks;

namespace Integration.Tests.Aws.S3;

/// <summary>Answers that the fake S3 does not give: those of other stores, of proxies, and hostile ones.</summary>
public class S3SinkAnswerTests
{
    private const string Bucket = "archive";
    private static readonly byte[] Body = Encoding.UTF8.GetBytes("{\"a\":1}");

    /// <summary>The client under test; a subclass in the folder Direct uses the other client.</summary>
    internal virtual S3ClientKind Client => S3ClientKind.Sdk;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(503, "ServiceUnavailable", SinkStatus.Transient)]
    [InlineData(502, "", SinkStatus.Transient)]
    [InlineData(507, "XMinioStorageFull", SinkStatus.Transient)]
    [InlineData(403, "QuotaExceeded", SinkStatus.Transient)]
    [InlineData(400, "XAmzContentSHA256Mismatch", SinkStatus.Transient)]
    [InlineData(400, "IncompleteBody", SinkStatus.Transient)]
    [InlineData(409, "OperationAborted", SinkStatus.Transient)]
    [InlineData(400, "EntityTooLarge", SinkStatus.Rejected)]
    [InlineData(413, "", SinkStatus.Rejected)]
    [InlineData(403, "SignatureDoesNotMatch", SinkStatus.Refused)]
    [InlineData(404, "NoSuchBucket", SinkStatus.Refused)]
    [InlineData(400, "InvalidRequest", SinkStatus.Refused)]
    public async Task Store_ErrorAnswer_HasItsStatus(int status, string code, object expected)
    {
        await using StubServer stub = await StubServer.StartAsync(context => code.Length == 0
            ? Task.FromResult(context.Response.StatusCode = status)
            : StubServer.FailAsync(context, status, code));

        SinkResult result = await StoreAsync(stub);

        result.Status.ShouldBe((SinkStatus)expected);
        result.Detail!.ShouldContain(status.ToString());
        stub.Requests.ShouldBe(result.Status == SinkStatus.Transient ? 2 : 1);
    }

    [Fact]
    public async Task Store_RetryAfterWithinTheTotalTime_IsWaitedFor()
    {
        ConcurrentQueue<DateTimeOffset> times = [];
        await using StubServer stub = await StubServer.StartAsync(context =>
        {
            times.Enqueue(DateTimeOffset.UtcNow);
            if (times.Count == 1)
            {
                context.Response.Headers.RetryAfter = "1";
                return StubServer.FailAsync(context, 503, "SlowDown");
            }

            context.Response.Headers.ETag = "\"x\"";
            return Task.CompletedTask;
        });

        (await StoreAsync(stub)).ShouldBe(SinkResult.Stored);

        (times.Last() - times.First()).ShouldBeGreaterThan(TimeSpan.FromMilliseconds(950));
    }

    [Fact]
    public async Task Store_RetryAfterBeyondTheTotalTime_IsReturned()
    {
        await using StubServer stub = await StubServer.StartAsync(context =>
        {
            context.Response.Headers.RetryAfter = "40";
            return StubServer.FailAsync(context, 503, "SlowDown");
        });

        SinkResult result = await StoreAsync(stub);

        result.Status.ShouldBe(SinkStatus.Transient);
        result.RetryAfter.ShouldBe(TimeSpan.FromSeconds(40));
        result.Exhausted.ShouldBeTrue();
        stub.Requests.ShouldBe(1);
    }

    [Theory]
    [InlineData("<html>sign in to the hotel</html>", null, true)]
    [InlineData("<html>sign in to the hotel</html>", "\"x\"", true)]
    [InlineData("<html>sign in to the hotel</html>", "\"x\"", false)]
    [InlineData("", null, true)]
    public async Task Store_SuccessNotFromS3_IsNotAccepted(string page, string? etag, bool announcesLength)
    {
        await using StubServer stub = await StubServer.StartAsync(context =>
        {
            context.Response.Headers.ETag = etag;
            context.Response.ContentLength = announcesLength ? page.Length : null;
            return context.Response.WriteAsync(page);
        });

        SinkResult result = await StoreAsync(stub);

        result.Status.ShouldBe(SinkStatus.Transient);
        result.Detail!.ShouldContain("NotAnS3Answer");
        stub.Requests.ShouldBe(2);
    }

    [Theory]
    [InlineData(301)]
    [InlineData(302)]
    [InlineData(307)]
    [InlineData(308)]
    public async Task Store_RedirectToAnotherHost_IsNotFollowed(int status)
    {
        await using StubServer other = await StubServer.StartAsync(context =>
        {
            context.Response.Headers.ETag = "\"x\"";
            return Task.CompletedTask;
        });
        await using StubServer stub = await StubServer.StartAsync(context =>
        {
            context.Response.StatusCode = status;
            context.Response.Headers.Location = $"{other.Endpoint.ServiceUrl}archive/k";
            return Task.CompletedTask;
        });

        SinkResult result = await StoreAsync(stub);

        result.Status.ShouldBe(status == 307 ? SinkStatus.Transient : SinkStatus.Refused);
        other.Requests.ShouldBe(0);
    }

    [Fact]
    public async Task Store_BucketInAnotherRegion_NamesIt()
    {
        await using StubServer stub = await StubServer.StartAsync(context =>
        {
            context.Response.Headers["x-amz-bucket-region"] = "eu-central-1";
            return StubServer.FailAsync(context, 301, "PermanentRedirect");
        });

        (await StoreAsync(stub)).Detail!.ShouldContain("region eu-central-1: set Sinks:S3:Region");
    }

    [Fact]
    public async Task Store_HostileErrorText_IsEscapedEverywhere()
    {
        string code = "A&#10;B\u202e" + new string('x', 5_000);
        await using StubServer stub =
            await StubServer.StartAsync(context => StubServer.FailAsync(context, 400, code, "C&#10;D\u202emessage of the store" + new string('y', 5_000)));

        string detail = (await StoreAsync(stub)).Detail!;

        detail.ShouldNotContain('\n');
        detail.ShouldNotContain('\u202e');
        detail.ShouldContain("message of the store");
        detail.Length.ShouldBeLessThanOrEqualTo(512);
    }

    [Theory]
    [InlineData(true, SinkStatus.AlreadyStored)]
    [InlineData(false, SinkStatus.Collision)]
    public async Task Store_ETagIsNoMd5_ComparesTheBytes(bool same, object expected)
    {
        byte[] stored = [.. Body];
        stored[3] ^= same ? (byte)0 : (byte)1;
        ConcurrentQueue<string> methods = [];
        await using StubServer stub = await StubServer.StartAsync(async context =>
        {
            methods.Enqueue(context.Request.Method);
            if (HttpMethods.IsPut(context.Request.Method))
            {
                await StubServer.FailAsync(context, 412, "PreconditionFailed");
                return;
            }

            // As with KMS: 32 hexadecimal digits that are not the MD5.
            context.Response.Headers.ETag = "\"0123456789abcdef0123456789abcdef\"";
            context.Response.Headers["x-amz-server-side-encryption"] = "aws:kms";
            context.Response.Headers["x-amz-server-side-encryption-aws-kms-key-id"] = "arn:aws:kms:us-east-1:1:key/k";
            context.Response.ContentLength = stored.Length;
            if (HttpMethods.IsGet(context.Request.Method))
            {
                await context.Response.Body.WriteAsync(stored);
            }
        });

        (await StoreAsync(stub)).Status.ShouldBe((SinkStatus)expected);

        methods.ShouldBe(["PUT", "HEAD", "GET"]);
    }

    [Theory]
    [InlineData("\"of another kind\"", true)]
    [InlineData("\"of another kind\"", false)]
    [InlineData("\"0123456789abcdef0123456789abcdef\"", true)]
    [InlineData("\"0123456789abcdef0123456789abcdef\"", false)]
    [InlineData("W/\"a1\"", true)]
    [InlineData("unquoted", true)]
    [InlineData("unquoted", false)]
    public async Task Store_ETagUnlikeS3_ComparesTheBytes(string etag, bool same)
    {
        byte[] stored = [.. Body];
        stored[3] ^= same ? (byte)0 : (byte)1;
        await using StubServer stub = await StubServer.StartAsync(async context =>
        {
            if (HttpMethods.IsPut(context.Request.Method))
            {
                await StubServer.FailAsync(context, 412, "PreconditionFailed");
                return;
            }

            context.Response.Headers.ETag = etag;
            context.Response.ContentLength = stored.Length;
            if (HttpMethods.IsGet(context.Request.Method))
            {
                await context.Response.Body.WriteAsync(stored);
            }
        });

        (await StoreAsync(stub)).Status.ShouldBe(same ? SinkStatus.AlreadyStored : SinkStatus.Collision);
    }

    [Fact]
    public async Task Store_ExistingObjectIsArchived_IsACollisionThatSaysSo()
    {
        await using StubServer stub = await StubServer.StartAsync(async context =>
        {
            if (HttpMethods.IsPut(context.Request.Method))
            {
                await StubServer.FailAsync(context, 412, "PreconditionFailed");
            }
            else if (HttpMethods.IsHead(context.Request.Method))
            {
                context.Response.Headers.ETag = "\"x-2\"";
                context.Response.ContentLength = Body.Length;
            }
            else
            {
                await StubServer.FailAsync(context, 403, "InvalidObjectState");
            }
        });

        SinkResult result = await StoreAsync(stub);

        result.Status.ShouldBe(SinkStatus.Collision, result.Detail);
        result.Detail.ShouldNotBeNull().ShouldContain("archived");
        stub.Requests.ShouldBe(3);
    }

    [Theory]
    [InlineData("\"x\"", "<html>sign in to the hotel</html>")]
    [InlineData(null, "seven b")]
    public async Task Store_ComparedObjectIsNotFromS3_IsTransientNotACollision(string? etag, string page)
    {
        await using StubServer stub = await StubServer.StartAsync(async context =>
        {
            if (HttpMethods.IsPut(context.Request.Method))
            {
                await StubServer.FailAsync(context, 412, "PreconditionFailed");
                return;
            }

            bool isGet = HttpMethods.IsGet(context.Request.Method);
            context.Response.Headers.ETag = isGet ? etag : "\"x-2\"";
            context.Response.ContentLength = isGet ? page.Length : Body.Length;
            if (isGet)
            {
                await context.Response.WriteAsync(page);
            }
        });

        (await StoreAsync(stub)).Status.ShouldBe(SinkStatus.Transient);
    }

    [Fact]
    public async Task Store_ComparedObjectIsCutOff_IsTransientNotACollision()
    {
        await using StubServer stub = await StubServer.StartAsync(async context =>
        {
            if (HttpMethods.IsPut(context.Request.Method))
            {
                await StubServer.FailAsync(context, 412, "PreconditionFailed");
                return;
            }

            context.Response.Headers.ETag = "\"x-2\"";
            context.Response.ContentLength = Body.Length;
            if (HttpMethods.IsGet(context.Request.Method))
            {
                await context.Response.Body.WriteAsync(Body.AsMemory(0, 3));
                context.Abort();
            }
        });

        (await StoreAsync(stub)).Status.ShouldBe(SinkStatus.Transient);
    }

    [Fact]
    public async Task Store_NoListener_IsTransientWithinTheAttempts()
    {
        StubServer gone = await StubServer.StartAsync(_ => Task.CompletedTask);
        await gone.DisposeAsync();

        SinkResult result = await StoreAsync(gone);

        result.Status.ShouldBe(SinkStatus.Transient);
        result.Detail.ShouldBe($"S3 PutObject: ConnectionError: Connection refused ({gone.Endpoint.ServiceUrl.Authority})");
    }

    [Theory]
    [InlineData(new byte[0])]
    [InlineData(new byte[] { 0x61, 0xff })]
    public async Task Store_KeyThatIsNotText_IsRejectedWithoutARequest(byte[] key)
    {
        await using StubServer stub = await StubServer.StartAsync(_ => Task.CompletedTask);
        await using S3Sink sink = S3Sinks.Open(stub.Endpoint, new S3SinkOptions { Client = Client, Bucket = Bucket });

        (await sink.StoreAsync(key, Body, Token)).Status.ShouldBe(SinkStatus.Rejected);
        (await sink.StoreAsync(new byte[1_025], Body, Token)).Status.ShouldBe(SinkStatus.Rejected);

        stub.Requests.ShouldBe(0);
    }

    private async Task<SinkResult> StoreAsync(StubServer stub)
    {
        await using S3Sink sink = S3Sinks.Open(stub.Endpoint, new S3SinkOptions { Client = Client, Bucket = Bucket, MaxAttempts = 2 });
        return await sink.StoreAsync("k"u8.ToArray(), Body, Token);
    }
}
