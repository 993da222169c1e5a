using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Sinks;

namespace Integration.Tests.Aws.S3.Auto;

/// <summary>The default over a server that accepts only the requests of AWSSDK.S3.</summary>
public sealed class ClientChangeTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Store_TheServerKnowsOnlyTheSdk_StoresEveryMessage()
    {
        int refused = 0;
        await using StubServer server = await StubServer.StartAsync(context =>
        {
            if (!context.Request.Headers.UserAgent.ToString().Contains("aws-sdk-dotnet", StringComparison.Ordinal))
            {
                Interlocked.Increment(ref refused);
                return StubServer.FailAsync(context, 403, "SignatureDoesNotMatch");
            }

            context.Response.Headers.ETag = "\"e\"";
            return Task.CompletedTask;
        });
        await using S3Sink sink = S3Sinks.Open(server.Endpoint, new S3SinkOptions { Bucket = "archive" });

        for (int i = 0; i < 10; i++)
        {
            (await sink.StoreAsync("k"u8.ToArray(), "{}"u8.ToArray(), Token)).ShouldBe(SinkResult.Stored);
        }

        refused.ShouldBe(1);
        server.Requests.ShouldBe(11);
    }

    [Fact]
    public async Task Store_WrongKeys_AreRefusedWithTwoRequestsOnce()
    {
        await using StubServer server = await StubServer.StartAsync(context => StubServer.FailAsync(context, 403, "SignatureDoesNotMatch"));
        await using S3Sink sink = S3Sinks.Open(server.Endpoint, new S3SinkOptions { Bucket = "archive" });

        for (int i = 0; i < 10; i++)
        {
            (await sink.StoreAsync("k"u8.ToArray(), "{}"u8.ToArray(), Token)).Status.ShouldBe(SinkStatus.Refused);
        }

        server.Requests.ShouldBe(11);
    }
}
