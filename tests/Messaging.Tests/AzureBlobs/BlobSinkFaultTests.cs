using System.Net;
using System.Net.Sockets;
using System.Text;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.AzureBlobs;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.AzureBlobs;

/// <summary>What the sink makes of each answer, and of none.</summary>
public sealed class BlobSinkFaultTests
{
    private static readonly byte[] Body = "{\"a\":1}"u8.ToArray();

    private readonly RecordingLog _log = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(503, "ServerBusy")]
    [InlineData(500, "OperationTimedOut")]
    [InlineData(500, "InternalError")]
    [InlineData(409, "ContainerBeingDeleted")]
    [InlineData(400, "Md5Mismatch")]
    [InlineData(429, "TooManyRequests")]
    [InlineData(408, "RequestTimeout")]
    [InlineData(502, "BadGateway")]
    public async Task Store_FaultThatPasses_IsStoredByTheNextAttempt(int status, string code)
    {
        ScriptedBlobs store = new((_, number) => number < 3 ? ScriptedBlobs.Error(status, code) : ScriptedBlobs.Created());

        (await StoreAsync(store)).ShouldBe(SinkResult.Stored);

        store.Requests.ShouldBe(["PUT /archive/k", "PUT /archive/k", "PUT /archive/k"]);
    }

    [Fact]
    public async Task Store_FaultThatStays_IsTransientAfterTheAttempts()
    {
        ScriptedBlobs store = new((_, _) => ScriptedBlobs.Error(503, "ServerBusy"));

        SinkResult result = await StoreAsync(store);

        result.ShouldBe(
            new SinkResult(SinkStatus.Transient, "AzureBlobs PutBlob: ServerBusy (503, request 7c31b2e5-601e-0012-34ab-56cdef000000)", Exhausted: true));
        store.Requests.Count.ShouldBe(3);
    }

    [Fact]
    public async Task Store_RetryAfterBeyondTheTotalTime_IsPassedOnWithoutARetry()
    {
        ScriptedBlobs store = new((_, _) => ScriptedBlobs.Error(503, "ServerBusy", ("Retry-After", "30")));

        SinkResult result = await StoreAsync(store);

        (result.Status, result.RetryAfter).ShouldBe((SinkStatus.Transient, TimeSpan.FromSeconds(30)));
        store.Requests.Count.ShouldBe(1);
    }

    [Theory]
    [InlineData(403, "AuthorizationPermissionMismatch", "Grant the role Storage Blob Data Contributor (signature: Create) on the container 'archive'.")]
    [InlineData(403, "AuthenticationFailed", "check the account key or the signature")]
    [InlineData(401, "InvalidAuthenticationInfo", "check the account key or the signature")]
    [InlineData(403, "KeyBasedAuthenticationNotPermitted", "set Sinks:AzureBlobs:Endpoint instead of ConnectionString")]
    [InlineData(403, "AuthorizationFailure", "network rules")]
    [InlineData(403, "AccountIsDisabled", "The storage account is disabled")]
    [InlineData(404, "ContainerNotFound", "create it or set Sinks:AzureBlobs:Container")]
    [InlineData(409, "ContainerDisabled", "its administrator can enable it")]
    [InlineData(400, "BlobAccessTierNotSupportedForAccountType", "remove Sinks:AzureBlobs:AccessTier")]
    [InlineData(400, "UnsupportedHeader", "Check the settings of Sinks:AzureBlobs and the container 'archive'.")]
    [InlineData(400, "SomethingNew", "Check the settings of Sinks:AzureBlobs and the container 'archive'.")]
    public async Task Store_WorkerIsRefused_SaysWhatToDoAndDoesNotRetry(int status, string code, string advice)
    {
        ScriptedBlobs store = new((_, _) => ScriptedBlobs.Error(status, code));

        SinkResult result = await StoreAsync(store);

        result.Status.ShouldBe(SinkStatus.Refused);
        result.Detail!.ShouldStartWith($"AzureBlobs PutBlob: {code} ({status}, request ");
        result.Detail!.ShouldContain(advice);
        result.Detail!.Length.ShouldBeLessThanOrEqualTo(256);
        result.Detail.ShouldNotContain("canary");

        // A missing right may hide a blob that exists, so that it is looked at.
        store.Requests.ShouldBe(code == "AuthorizationPermissionMismatch" ? ["PUT /archive/k", "GET /archive/k"] : ["PUT /archive/k"]);
    }

    [Theory]
    [InlineData(413, "RequestBodyTooLarge")]
    [InlineData(400, "InvalidResourceName")]
    [InlineData(400, "InvalidUri")]
    [InlineData(400, "OutOfRangeInput")]
    [InlineData(414, "RequestUriTooLong")]
    public async Task Store_ObjectThatIsNeverAccepted_IsRejectedOnce(int status, string code)
    {
        ScriptedBlobs store = new((_, _) => ScriptedBlobs.Error(status, code));

        SinkResult result = await StoreAsync(store);

        result.Status.ShouldBe(SinkStatus.Rejected);
        result.Detail!.ShouldContain(code);
        store.Requests.Count.ShouldBe(1);
    }

    [Theory]
    [InlineData(409, "BlobAlreadyExists")]
    [InlineData(412, "ConditionNotMet")]
    [InlineData(412, "LeaseIdMissing")]
    [InlineData(409, "InvalidBlobType")]
    [InlineData(409, "BlobImmutableDueToPolicy")]
    [InlineData(403, "UnauthorizedBlobOverwrite")]
    [InlineData(403, "AuthorizationPermissionMismatch")]
    public async Task Store_BlobExists_IsComparedByteByByte(int status, string code)
    {
        foreach ((byte[] existing, SinkStatus expected) in ((byte[], SinkStatus)[])[
                (Body, SinkStatus.AlreadyStored), ("{\"a\":2}"u8.ToArray(), SinkStatus.Collision), (Body[1..], SinkStatus.Collision)])
        {
            ScriptedBlobs store = new((request, _) => request.Method == HttpMethod.Put ? ScriptedBlobs.Error(status, code) : ScriptedBlobs.Blob(existing));

            (await StoreAsync(store)).Status.ShouldBe(expected);

            store.Requests.ShouldBe(["PUT /archive/k", "GET /archive/k"]);
        }
    }

    [Theory]
    [InlineData(404, "BlobNotFound")]
    [InlineData(403, "AuthorizationPermissionMismatch")]
    public async Task Store_RightIsMissingAndNoBlobIsSeen_IsRefused(int status, string code)
    {
        ScriptedBlobs store = new(
            (request, _) => request.Method == HttpMethod.Put ? ScriptedBlobs.Error(403, "AuthorizationPermissionMismatch") : ScriptedBlobs.Error(status, code));

        SinkResult result = await StoreAsync(store);

        result.Status.ShouldBe(SinkStatus.Refused);
        result.Detail!.ShouldContain("PutBlob: AuthorizationPermissionMismatch");
    }

    [Theory]
    [InlineData("reset")]
    [InlineData("502")]
    public async Task Store_AnswerLostAfterTheCommit_IsStoredAndNoDuplicate(string loss)
    {
        ScriptedBlobs store = new((request, number) =>
            request.Method == HttpMethod.Get ? ScriptedBlobs.Blob(Body)
            : number > 1 ? ScriptedBlobs.Error(409, "BlobAlreadyExists")
            : loss == "502" ? ScriptedBlobs.Error(502, "BadGateway")
            : throw new HttpRequestException("Connection reset by peer", new SocketException((int)SocketError.ConnectionReset)));

        (await StoreAsync(store)).ShouldBe(SinkResult.Stored);
    }

    [Fact]
    public async Task Store_RefusalsAfterALostAnswer_DoNotMakeTheBlobADuplicate()
    {
        ScriptedBlobs store = new((request, number) =>
            request.Method == HttpMethod.Get ? ScriptedBlobs.Blob(Body)
            : number switch
            {
                1 => throw new HttpRequestException("Connection reset by peer", new SocketException((int)SocketError.ConnectionReset)),
                2 => ScriptedBlobs.Error(503, "ServerBusy"),
                _ => ScriptedBlobs.Error(409, "BlobAlreadyExists"),
            });

        (await StoreAsync(store)).ShouldBe(SinkResult.Stored);

        store.Requests.ShouldBe(["PUT /archive/k", "PUT /archive/k", "PUT /archive/k", "GET /archive/k"]);
    }

    [Theory]
    [InlineData("https://orders.blob.core.windows.net", "/archive")]
    [InlineData("https://orders.blob.core.windows.net/archive", "/archive")]
    [InlineData("http://127.0.0.1:10000/orders/archive", "/orders/archive")]
    public async Task Store_EndpointAtAccountOrContainer_IsInTheNamedContainer(string endpoint, string container)
    {
        ScriptedBlobs store = new((request, _) => request.Method == HttpMethod.Get ? ScriptedBlobs.Error(503, "ServerBusy") : ScriptedBlobs.Created());
        BlobSinkOptions options =
            new() { ConnectionString = $"BlobEndpoint={endpoint};AccountName=orders;AccountKey={Convert.ToBase64String(new byte[64])}", Container = "archive" };
        await using BlobSink sink = new(options, new SinkServices { Services = null!, Loggers = _log }, store);

        (await sink.StoreAsync("k"u8.ToArray(), Body, Token)).ShouldBe(SinkResult.Stored);
        await sink.CheckAsync(Token);

        store.Requests.ShouldBe([$"PUT {container}/k", $"GET {container}", $"GET {container}"]);
    }

    [Fact]
    public async Task Store_BlobDeletedBetweenAnswerAndComparison_IsStored()
    {
        ScriptedBlobs store = new((request, number) =>
            request.Method == HttpMethod.Get ? ScriptedBlobs.Error(404, "BlobNotFound")
            : number == 1 ? ScriptedBlobs.Error(409, "BlobAlreadyExists")
            : ScriptedBlobs.Created());

        (await StoreAsync(store)).ShouldBe(SinkResult.Stored);

        store.Requests.ShouldBe(["PUT /archive/k", "GET /archive/k", "PUT /archive/k"]);
    }

    [Fact]
    public async Task Store_ArchivedBlobWithoutAnMd5_IsACollisionThatSaysWhatToDo()
    {
        ScriptedBlobs store = new((request, _) =>
            request.Method == HttpMethod.Put ? ScriptedBlobs.Error(409, "BlobAlreadyExists")
            : request.Method == HttpMethod.Head ? ScriptedBlobs.Blob(Body)
            : ScriptedBlobs.Error(409, "BlobArchived"));

        SinkResult result = await StoreAsync(store);

        result.Status.ShouldBe(SinkStatus.Collision);
        result.Detail!.ShouldEndWith("rehydrate it, then redrive.");
    }

    [Fact]
    public async Task Store_ComparisonHasNoLength_ProvesNothing()
    {
        ScriptedBlobs store = new((request, _) =>
        {
            HttpResponseMessage page = ScriptedBlobs.Blob("<html>"u8.ToArray());
            page.Content.Headers.ContentLength = null;
            page.Content.Headers.Remove("Content-Length");
            return request.Method == HttpMethod.Put ? ScriptedBlobs.Error(409, "BlobAlreadyExists") : page;
        });

        (await StoreAsync(store)).Status.ShouldBe(SinkStatus.Transient);
    }

    [Fact]
    public async Task Store_ComparisonIsCut_ProvesNothing()
    {
        ScriptedBlobs store = new((request, number) =>
        {
            if (request.Method == HttpMethod.Put)
            {
                return ScriptedBlobs.Error(409, "BlobAlreadyExists");
            }

            // The length of the body, and an end before it.
            HttpResponseMessage response = ScriptedBlobs.Blob(Body[..3]);
            response.Content.Headers.ContentLength = Body.Length;
            return response;
        });

        (await StoreAsync(store)).Status.ShouldBe(SinkStatus.Transient);
    }

    [Theory]
    [InlineData(200)]
    [InlineData(201)]
    [InlineData(302)]
    public async Task Store_AnswerOfAProxy_DoesNotCount(int status)
    {
        ScriptedBlobs store = new(
            (_, _) => new HttpResponseMessage((HttpStatusCode)status)
            { Content = new StringContent("<html>sign in to the hotel</html>"), Headers = { Location = new Uri("http://hotel.example/") } });

        SinkResult result = await StoreAsync(store);

        result.Status.ShouldBe(SinkStatus.Transient);
        result.Detail!.ShouldContain("NotABlobStorageAnswer");
    }

    [Fact]
    public async Task Store_ErrorOfUnboundedSize_IsNotReadWhole()
    {
        ScriptedBlobs store = new((_, _) => new HttpResponseMessage(HttpStatusCode.InternalServerError) { Content = new ByteArrayContent(new byte[65_537]) });

        SinkResult result = await StoreAsync(store);

        result.Status.ShouldBe(SinkStatus.Transient);
        result.Detail!.ShouldContain("NotABlobStorageAnswer");
    }

    [Fact]
    public async Task Store_NoConnection_NamesTheCause()
    {
        ScriptedBlobs store = new((_, _) => throw new HttpRequestException(HttpRequestError.ConnectionError, "Connection refused (127.0.0.1:10000)"));

        SinkResult result = await StoreAsync(store);

        result.Status.ShouldBe(SinkStatus.Transient);
        result.Detail.ShouldBe("AzureBlobs PutBlob: ConnectionError: Connection refused (127.0.0.1:10000)");
    }

    [Fact]
    public async Task Store_StoreFailsForLong_GetsFewRetries()
    {
        ScriptedBlobs store = new((_, _) => ScriptedBlobs.Error(503, "ServerBusy"));
        await using BlobSink sink = Open(store);

        for (int i = 0; i < 100; i++)
        {
            await sink.StoreAsync("k"u8.ToArray(), Body, Token);
        }

        // 100 of the 200 retries that the attempts would allow: 500 tokens, 5 each.
        store.Requests.Count.ShouldBe(200);
    }

    [Theory]
    [InlineData(503, "ServerBusy", true)]
    [InlineData(429, "TooManyRequests", true)]
    [InlineData(500, "OperationTimedOut", true)]
    [InlineData(500, "InternalError", false)]
    [InlineData(403, "AuthorizationFailure", false)]
    public async Task Store_EachAnswer_IsThrottlingOrNot(int status, string code, bool expected)
    {
        CircuitBreaker breaker = new("test", new RecoverabilityOptions(), TimeProvider.System, NullLogger.Instance);
        bool told = false;
        breaker.Throttling += () => told = true;
        await using BlobSink sink = Open(new ScriptedBlobs((_, _) => ScriptedBlobs.Error(status, code)), breaker: breaker);

        await sink.StoreAsync("k"u8.ToArray(), Body, Token);

        told.ShouldBe(expected);
    }

    [Theory]
    [InlineData("")]
    [InlineData("a.")]
    [InlineData("a./b")]
    [InlineData("../other/x")]
    [InlineData("a/..")]
    [InlineData("a\\b")]
    public async Task Store_KeyThatBlobStorageWouldChange_IsRejectedWithoutARequest(string key)
    {
        ScriptedBlobs store = new((_, _) => ScriptedBlobs.Created());

        (await StoreAsync(store, key: key)).Status.ShouldBe(SinkStatus.Rejected);

        store.Requests.ShouldBeEmpty();
    }

    [Theory]
    [InlineData("https", false)]
    [InlineData("http", true)]
    public async Task Store_Request_HasTheConditionAndWithoutTlsADigest(string scheme, bool hasDigest)
    {
        HttpRequestMessage? sent = null;
        ScriptedBlobs store = new((request, _) =>
        {
            sent = request;
            return ScriptedBlobs.Created();
        });

        await StoreAsync(store, scheme: scheme);

        sent!.Headers.IfNoneMatch.ShouldHaveSingleItem().Tag.ShouldBe("*");
        sent.Content!.Headers.ContentMD5.ShouldBe(hasDigest ? System.Security.Cryptography.MD5.HashData(Body) : null);
        sent.Headers.GetValues("x-ms-blob-content-type").ShouldBe(["application/json"]);
        sent.Headers.ExpectContinue.ShouldNotBe(true);
        sent.Headers.Contains("x-ms-tags").ShouldBeFalse();
    }

    [Theory]
    [InlineData(403, "AuthenticationFailed", ExitCodes.NoPermission)]
    [InlineData(403, "AccountIsDisabled", ExitCodes.NoPermission)]
    [InlineData(403, "AuthorizationFailure", ExitCodes.NoPermission)]
    [InlineData(404, "ContainerNotFound", ExitCodes.Unavailable)]
    [InlineData(409, "ContainerDisabled", ExitCodes.Unavailable)]
    public async Task Check_WhatCanNeverWork_EndsTheStartWithOneLine(int status, string code, int exitCode)
    {
        await using BlobSink sink = Open(new ScriptedBlobs((_, _) => ScriptedBlobs.Error(status, code)));

        StartupException exception = await Should.ThrowAsync<StartupException>(sink.CheckAsync(Token));

        exception.ExitCode.ShouldBe(exitCode);
        exception.Message.ShouldContain($"AzureBlobs ListBlobs: {code} ({status}");
        exception.Message.ShouldNotContain('\n');
    }

    [Theory]
    [InlineData(503, "ServerBusy", 4301, 2)]
    [InlineData(403, "AuthorizationPermissionMismatch", 4302, 1)]
    public async Task Check_WhatMayWork_StartsWithOneWarning(int status, string code, int id, int requests)
    {
        ScriptedBlobs store = new((_, _) => ScriptedBlobs.Error(status, code));
        await using BlobSink sink = Open(store);

        await sink.CheckAsync(Token);
        store.Requests.Count.ShouldBe(requests);
        await sink.CheckAsync(Token);

        _log.Entries.ShouldHaveSingleItem().Id.Id.ShouldBe(id);
        (sink.Problem is not null).ShouldBe(id == 4301);
    }

    [Fact]
    public async Task Check_PageOfAProxy_StartsWithAWarning()
    {
        await using BlobSink sink =
            Open(new ScriptedBlobs((_, _) => new HttpResponseMessage(HttpStatusCode.OK) { Content = new StringContent("<html>sign in to the hotel") }));

        await sink.CheckAsync(Token);

        _log.Entries.ShouldHaveSingleItem().Text.ShouldContain(
            "Container archive is not at its endpoint (AzureBlobs ListBlobs: NotABlobStorageAnswer: the address answers, but is not Blob Storage");
    }

    [Theory]
    [InlineData(400, "The plain HTTP request was sent to HTTPS port")]
    [InlineData(401, "<html>\n<h1>Sign in</h1>")]
    [InlineData(403, "<html>\n<h1>Sign in</h1>")]
    [InlineData(404, "<html>\n<h1>404 Not Found</h1>")]
    public async Task Check_ErrorPageOfAProxy_IsAProblemThatQuotesIt(int status, string page)
    {
        await using BlobSink sink = Open(new ScriptedBlobs((_, _) => new HttpResponseMessage((HttpStatusCode)status) { Content = new StringContent(page) }));

        await sink.CheckAsync(Token);

        sink.Problem.ShouldBe(
            $"The container 'archive' is not at its endpoint: AzureBlobs ListBlobs: NotABlobStorageAnswer ({status}): "
            + "the address answers, but is not Blob Storage: "
            + $"check Sinks:AzureBlobs:Endpoint or ConnectionString. It sent \"{page.Replace('\n', ' ')}\".");
    }

    private async Task<SinkResult> StoreAsync(ScriptedBlobs store, string key = "k", string scheme = "https")
    {
        await using BlobSink sink = Open(store, scheme: scheme);
        return await sink.StoreAsync(Encoding.UTF8.GetBytes(key), Body, Token);
    }

    private BlobSink Open(ScriptedBlobs store, CircuitBreaker? breaker = null, string scheme = "https") => new(
        new BlobSinkOptions
        {
            ConnectionString = $"BlobEndpoint={scheme}://orders.blob.core.windows.net;AccountName=orders;AccountKey="
            + $"{Convert.ToBase64String(new byte[64])}",
            Container = "archive"
        },
        new SinkServices { Services = null!, Loggers = _log, Breaker = breaker },
        store);
}
