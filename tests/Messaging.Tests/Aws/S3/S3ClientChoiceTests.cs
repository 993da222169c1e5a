using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Aws.S3;

/// <summary>What the sink does when the bucket is in another region, or the store refuses the direct client.</summary>
public sealed class S3ClientChoiceTests
{
    private static readonly S3Fault WrongSignature = S3Fault.OfAnswer(new AwsError(403, "SignatureDoesNotMatch", ""));

    private readonly RecordingLog _log = new();
    private readonly ManualTimeProvider _time = new(DateTimeOffset.UnixEpoch);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(403, "SignatureDoesNotMatch", true)]
    [InlineData(400, "InvalidRequest", true)]
    [InlineData(411, "MissingContentLength", true)]
    [InlineData(501, "NotImplemented", true)]
    [InlineData(301, "Found", true)]
    [InlineData(403, "AccessDenied", false)]
    [InlineData(403, "InvalidAccessKeyId", false)]
    [InlineData(400, "InvalidToken", false)]
    [InlineData(404, "NoSuchBucket", false)]
    public async Task Store_TheStoreRefusesTheDirectClient_NamesTheOtherOne(int status, string code, bool isNamed)
    {
        foreach (bool isDirect in (bool[])[true, false])
        {
            ScriptedRequests requests = new(_ => S3Fault.OfAnswer(new AwsError(status, code, "")));
            await using S3Sink sink = Open(requests, isDirect);

            SinkResult result = await StoreAsync(sink);

            result.Status.ShouldBe(SinkStatus.Refused);
            result.Detail!.EndsWith("set Sinks:S3:Client=Sdk.", StringComparison.Ordinal).ShouldBe(isNamed && isDirect, result.Detail);
            requests.Puts.ShouldBe(1);
        }
    }

    [Fact]
    public async Task Check_TheStoreRefusesTheDirectClient_EndsTheStartAndNamesTheOtherOne()
    {
        ScriptedRequests requests = new(_ => WrongSignature, () => WrongSignature);
        await using S3Sink sink = Open(requests);

        StartupException exception = await Should.ThrowAsync<StartupException>(() => sink.CheckAsync(Token));

        exception.ExitCode.ShouldBe(ExitCodes.NoPermission);
        exception.Message.ShouldContain("set Sinks:S3:Client=Sdk");
        requests.Lists.ShouldBe(1);
        _log.Entries.Where(entry => entry.Id == 4108).ShouldHaveSingleItem().Text.ShouldBe("Route trial: objects are stored with the client");
    }

    [Theory]
    [InlineData(301, "PermanentRedirect")]
    [InlineData(307, "")]
    [InlineData(400, "AuthorizationHeaderMalformed")]
    public async Task Store_TheBucketIsInAnotherRegion_RefusesOnceAndNamesTheRegion(int status, string code)
    {
        ScriptedRequests requests = new(_ => Elsewhere(status, code));
        await using S3Sink sink = Open(requests);

        SinkResult result = await StoreAsync(sink);

        result.Status.ShouldBe(SinkStatus.Refused);
        result.Detail.ShouldNotBeNull().ShouldContain("is in region eu-north-1: set Sinks:S3:Region");
        requests.Puts.ShouldBe(1);
    }

    [Fact]
    public async Task Check_TheBucketIsInAnotherRegion_EndsTheStartAndNamesTheRegion()
    {
        ScriptedRequests requests = new(_ => S3Fault.None, () => Elsewhere(400, "AuthorizationHeaderMalformed"));
        await using S3Sink sink = Open(requests);

        StartupException exception = await Should.ThrowAsync<StartupException>(() => sink.CheckAsync(Token));

        exception.ExitCode.ShouldBe(ExitCodes.Configuration);
        exception.Message.ShouldContain("is in region eu-north-1: set Sinks:S3:Region");
    }

    [Theory]
    [InlineData(S3ClientKind.Auto, "archive", true, "the direct client (Sinks:S3:Client=Auto, and nothing needs AWSSDK.S3)")]
    [InlineData(S3ClientKind.Auto, "archive--use1-az4--x-s3", false, "AWSSDK.S3, because Sinks:S3:Bucket is a directory bucket (S3 Express)")]
    [InlineData(S3ClientKind.Sdk, "archive", false, "AWSSDK.S3 (Sinks:S3:Client=Sdk)")]
    internal void Choice_OfTheSettings_SaysWhich(S3ClientKind client, string bucket, bool isDirect, string description)
    {
        S3ClientChoice choice = S3ClientChoice.Of(new S3SinkOptions { Client = client, Bucket = bucket });

        choice.ShouldBe(new S3ClientChoice(isDirect, description));
    }

    private static S3Fault Elsewhere(int status, string code) => S3Fault.OfAnswer(new AwsError(status, code, "") { Region = "eu-north-1" });

    private static async Task<SinkResult> StoreAsync(S3Sink sink) => await sink.StoreAsync("k"u8.ToArray(), new byte[1], Token);

    private S3Sink Open(ScriptedRequests requests, bool isDirect = true) => new(
        new S3SinkOptions { Bucket = "archive" },
        requests,
        new SinkServices { Services = null!, Loggers = _log, Time = _time, Route = "trial" },
        new S3ClientChoice(isDirect, "the client"));
}
