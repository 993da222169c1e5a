using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Sinks;

namespace Integration.Tests.Aws.S3;

/// <summary>The default client over a store that refuses it.</summary>
public sealed class RefusedClientTests
{
    [Fact]
    public async Task Store_TheServerRefusesTheClient_NamesTheSettingAndTriesNoOther()
    {
        await using StubServer server = await StubServer.StartAsync(context => StubServer.FailAsync(context, 403, "SignatureDoesNotMatch"));
        await using S3Sink sink = S3Sinks.Open(server.Endpoint, new S3SinkOptions { Bucket = "archive" });

        SinkResult result = await sink.StoreAsync("k"u8.ToArray(), "{}"u8.ToArray(), TestContext.Current.CancellationToken);

        result.Status.ShouldBe(SinkStatus.Refused);
        result.Detail.ShouldNotBeNull().ShouldContain("Client=Sdk");
        server.Requests.ShouldBe(1);
    }
}
