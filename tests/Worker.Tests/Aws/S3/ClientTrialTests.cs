using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;

namespace Worker.Tests.Aws.S3;

/// <summary>What the sink does when the store refuses the direct client.</summary>
public sealed class ClientTrialTests
{
    private static readonly S3Fault WrongSignature = S3Fault.OfAnswer(new AwsError(403, "SignatureDoesNotMatch", ""));
    private static readonly S3Fault Denied = S3Fault.OfAnswer(new AwsError(403, "AccessDenied", ""));

    private readonly RecordingLog _log = new();
    private readonly ManualTimeProvider _time = new(DateTimeOffset.UnixEpoch);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(403, "SignatureDoesNotMatch")]
    [InlineData(403, "MissingSecurityHeader")]
    [InlineData(400, "InvalidRequest")]
    [InlineData(411, "MissingContentLength")]
    [InlineData(405, "MethodNotAllowed")]
    [InlineData(501, "NotImplemented")]
    [InlineData(301, "Found")]
    public async Task Store_OnlyTheSdkIsAccepted_RepeatsThePutAndStaysWithTheSdk(int status, string code)
    {
        ScriptedRequests direct = new(_ => S3Fault.OfAnswer(new AwsError(status, code, "")));
        ScriptedRequests sdk = new(_ => S3Fault.None);
        ConcurrentQueue<string?> changes = [];
        using MeterListener listener = Listen(changes);
        await using S3Sink sink = Open(direct, sdk);

        (await StoreAsync(sink)).ShouldBe(SinkResult.Stored);
        (await StoreAsync(sink)).ShouldBe(SinkResult.Stored);

        direct.Puts.ShouldBe(1);
        sdk.Puts.ShouldBe(2);
        _log.Entries.Where(entry => entry.Id == 4109).ShouldHaveSingleItem().Text.ShouldContain(code);
        changes.ShouldBe(["trial"]);
    }

    [Fact]
    public async Task Store_TheSdkFindsTheObject_ComparesItAndStays()
    {
        ScriptedRequests direct = new(_ => WrongSignature);
        ScriptedRequests sdk = new(_ => S3Fault.OfAnswer(new AwsError(412, "PreconditionFailed", "")));
        await using S3Sink sink = Open(direct, sdk);

        (await StoreAsync(sink)).ShouldBe(SinkResult.AlreadyStored);
        (await StoreAsync(sink)).ShouldBe(SinkResult.AlreadyStored);

        direct.Puts.ShouldBe(1);
    }

    [Fact]
    public async Task Store_TheSdkIsRefusedToo_RepeatsOneAMinute()
    {
        ScriptedRequests direct = new(_ => WrongSignature);
        ScriptedRequests sdk = new(_ => WrongSignature);
        await using S3Sink sink = Open(direct, sdk);

        for (int i = 0; i < 3; i++)
        {
            SinkResult result = await StoreAsync(sink);
            result.Status.ShouldBe(SinkStatus.Refused);
            result.Detail.ShouldNotBeNull().ShouldContain("SignatureDoesNotMatch");
        }

        sdk.Puts.ShouldBe(1);
        _time.Advance(TimeSpan.FromMinutes(1));
        (await StoreAsync(sink)).Status.ShouldBe(SinkStatus.Refused);
        (await StoreAsync(sink)).Status.ShouldBe(SinkStatus.Refused);

        sdk.Puts.ShouldBe(2);
        direct.Puts.ShouldBe(5);
        _log.Entries.ShouldNotContain(entry => entry.Id == 4109);
    }

    [Theory]
    [InlineData(403, "AccessDenied")]
    [InlineData(403, "InvalidAccessKeyId")]
    [InlineData(400, "InvalidToken")]
    [InlineData(404, "NoSuchBucket")]
    [InlineData(400, "AuthorizationHeaderMalformed")]
    [InlineData(301, "PermanentRedirect")]
    [InlineData(503, "SlowDown")]
    public async Task Store_AFaultThatTheSdkWouldGetToo_IsNotRepeatedWithIt(int status, string code)
    {
        ScriptedRequests direct = new(_ => S3Fault.OfAnswer(new AwsError(status, code, "")));
        ScriptedRequests sdk = new(_ => S3Fault.None);
        await using S3Sink sink = Open(direct, sdk, maxAttempts: 1);

        (await StoreAsync(sink)).Status.ShouldNotBe(SinkStatus.Stored);

        sdk.Puts.ShouldBe(0);
    }

    [Fact]
    public async Task Check_OnlyTheSdkIsAccepted_BeginsWithIt()
    {
        ScriptedRequests direct = new(_ => WrongSignature, () => WrongSignature);
        ScriptedRequests sdk = new(_ => S3Fault.None, () => S3Fault.None);
        await using S3Sink sink = Open(direct, sdk);

        await sink.CheckAsync(Token);
        (await StoreAsync(sink)).ShouldBe(SinkResult.Stored);

        direct.Puts.ShouldBe(0);
        _log.Entries.Where(entry => entry.Id == 4108).ShouldHaveSingleItem().Text.ShouldBe("Route trial: objects are stored with the direct client");
        _log.Entries.Where(entry => entry.Id == 4109).ShouldHaveSingleItem().Text.ShouldContain("S3 ListObjectsV2: SignatureDoesNotMatch");
    }

    [Fact]
    public async Task Check_WrongKeys_EndTheStart()
    {
        ScriptedRequests sdk = new(_ => S3Fault.None, () => WrongSignature);
        await using S3Sink sink = Open(new ScriptedRequests(_ => WrongSignature, () => WrongSignature), sdk);

        (await Should.ThrowAsync<StartupException>(() => sink.CheckAsync(Token))).ExitCode.ShouldBe(ExitCodes.NoPermission);

        sdk.Lists.ShouldBe(1);
    }

    [Fact]
    public async Task Check_ListingIsDenied_StaysWithTheDirectClient()
    {
        ScriptedRequests direct = new(_ => S3Fault.None, () => Denied);
        ScriptedRequests sdk = new(_ => S3Fault.None, () => S3Fault.None);
        await using S3Sink sink = Open(direct, sdk);

        await sink.CheckAsync(Token);
        (await StoreAsync(sink)).ShouldBe(SinkResult.Stored);

        direct.Puts.ShouldBe(1);
        sdk.Lists.ShouldBe(0);
    }

    [Theory]
    [InlineData(301, "PermanentRedirect")]
    [InlineData(307, "")]
    [InlineData(400, "AuthorizationHeaderMalformed")]
    public async Task Store_TheBucketIsInAnotherRegion_RepeatsThePutThereAndStays(int status, string code)
    {
        ScriptedRequests first = new(_ => Elsewhere(status, code));
        ScriptedRequests other = new(_ => S3Fault.None);
        ConcurrentQueue<string?> changes = [];
        ConcurrentQueue<string> regions = [];
        using MeterListener listener = Listen(changes);
        await using S3Sink sink = Open(first, region =>
        {
            regions.Enqueue(region);
            return other;
        });

        (await StoreAsync(sink)).ShouldBe(SinkResult.Stored);
        (await StoreAsync(sink)).ShouldBe(SinkResult.Stored);

        regions.ShouldBe(["eu-north-1"]);
        (first.Puts, other.Puts).ShouldBe((1, 2));
        _log.Entries.Where(entry => entry.Id == 4111).ShouldHaveSingleItem().Text.ShouldContain("the bucket archive is in the region eu-north-1");
        _log.Entries.ShouldNotContain(entry => entry.Id == 4109);
        changes.ShouldBeEmpty();
    }

    [Fact]
    public async Task Store_TheOtherRegionNamesAThird_RefusesAndAsksOnceAMinute()
    {
        ScriptedRequests first = new(_ => Elsewhere(301, "PermanentRedirect"));
        ScriptedRequests other = new(_ => S3Fault.OfAnswer(new AwsError(301, "PermanentRedirect", "") { Region = "eu-south-2" }));
        await using S3Sink sink = Open(first, _ => other);

        for (int i = 0; i < 3; i++)
        {
            SinkResult result = await StoreAsync(sink);
            result.Status.ShouldBe(SinkStatus.Refused);
            result.Detail.ShouldNotBeNull().ShouldContain("set Sinks:S3:Region");
        }

        (first.Puts, other.Puts).ShouldBe((3, 1));
        _log.Entries.ShouldNotContain(entry => entry.Id == 4111);
    }

    [Fact]
    public async Task Store_ARegionThatIsNotFollowed_IsRefused()
    {
        ScriptedRequests first = new(_ => Elsewhere(301, "PermanentRedirect"));
        await using S3Sink sink = Open(first, _ => null);

        SinkResult result = await StoreAsync(sink);

        result.Status.ShouldBe(SinkStatus.Refused);
        result.Detail.ShouldNotBeNull().ShouldContain("is in region eu-north-1: set Sinks:S3:Region");
        first.Puts.ShouldBe(1);
    }

    [Fact]
    public async Task Check_TheBucketIsInAnotherRegion_BeginsThere()
    {
        ScriptedRequests first = new(_ => S3Fault.None, () => Elsewhere(400, "AuthorizationHeaderMalformed"));
        ScriptedRequests other = new(_ => S3Fault.None, () => S3Fault.None);
        S3Sink sink = Open(first, _ => other);

        await sink.CheckAsync(Token);
        (await StoreAsync(sink)).ShouldBe(SinkResult.Stored);
        await sink.DisposeAsync();

        (first.Puts, other.Puts).ShouldBe((0, 1));
        (first.IsDisposed, other.IsDisposed).ShouldBe((true, true));
        _log.Entries.Where(entry => entry.Id == 4111).ShouldHaveSingleItem();
    }

    [Fact]
    public async Task Dispose_AfterTheChange_DisposesBoth()
    {
        ScriptedRequests direct = new(_ => WrongSignature);
        ScriptedRequests sdk = new(_ => S3Fault.None);
        S3Sink sink = Open(direct, sdk);
        await StoreAsync(sink);

        await sink.DisposeAsync();

        direct.IsDisposed.ShouldBeTrue();
        sdk.IsDisposed.ShouldBeTrue();
    }

    [Theory]
    [InlineData(S3ClientKind.Auto, false, "archive", true, "the direct client (Sinks:S3:Client=Auto, and nothing needs AWSSDK.S3)")]
    [InlineData(S3ClientKind.Auto, true, "archive", false, "AWSSDK.S3, because Sinks:S3:ChunkedEncoding is true")]
    [InlineData(S3ClientKind.Auto, false, "archive--use1-az4--x-s3", false, "AWSSDK.S3, because Sinks:S3:Bucket is a directory bucket (S3 Express)")]
    [InlineData(S3ClientKind.Sdk, false, "archive", false, "AWSSDK.S3 (Sinks:S3:Client=Sdk)")]
    [InlineData(S3ClientKind.Direct, false, "archive", true, "the direct client (Sinks:S3:Client=Direct)")]
    internal void Choice_OfTheSettings_SaysWhich(S3ClientKind client, bool chunked, string bucket, bool isDirect, string description)
    {
        S3ClientChoice choice = S3ClientChoice.Of(new S3SinkOptions { Client = client, ChunkedEncoding = chunked, Bucket = bucket });

        choice.ShouldBe(new S3ClientChoice(isDirect, MayChange: isDirect && client == S3ClientKind.Auto, description));
    }

    private static MeterListener Listen(ConcurrentQueue<string?> changes)
    {
        MeterListener listener = new()
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == RouteMetrics.SourceName && instrument.Name == "worker.sink.client_changes")
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, _, tags, _) => changes.Enqueue(tags[0].Value as string));
        listener.Start();
        return listener;
    }

    private static S3Fault Elsewhere(int status, string code) => S3Fault.OfAnswer(new AwsError(status, code, "") { Region = "eu-north-1" });

    private static async Task<SinkResult> StoreAsync(S3Sink sink) => await sink.StoreAsync("k"u8.ToArray(), new byte[1], Token);

    private S3Sink Open(ScriptedRequests direct, ScriptedRequests sdk, int maxAttempts = 3) => Open(direct, new ClientTrial(() => sdk, _time), maxAttempts);

    private S3Sink Open(ScriptedRequests first, Func<string, IS3Requests?> createIn) => Open(first, new ClientTrial(createSdk: null, _time, createIn));

    private S3Sink Open(ScriptedRequests first, ClientTrial trial, int maxAttempts = 3) => new(
        new S3SinkOptions { Bucket = "archive", MaxAttempts = maxAttempts },
        first,
        new SinkServices(null!, _log, _time, Route: "trial"),
        trial,
        "the direct client");
}
