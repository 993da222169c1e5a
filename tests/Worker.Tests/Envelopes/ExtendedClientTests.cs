using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Text;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.ExtendedClient;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Settlements;

namespace Worker.Tests.Envelopes;

/// <summary>The pointer of the SQS Extended Client: whose payload is read, and what becomes of one that cannot be.</summary>
public sealed class ExtendedClientTests
{
    private const string Pointer = """["software.amazon.payloadoffloading.PayloadS3Pointer",{"s3BucketName":"payloads","s3Key":"k"}]""";

    private readonly List<string> _opened = [];
    private readonly List<string> _deleted = [];
    private Func<int, S3Fault> _deletion = _ => S3Fault.None;
    private Func<S3ObjectContent> _answer = () => new S3ObjectContent(new MemoryStream("""{"MessageId":"a"}"""u8.ToArray()), 17, "etag");

    [Theory]
    [InlineData(Pointer)]
    [InlineData("""["com.amazon.sqs.javamessaging.MessageS3Pointer", { "s3Key": "k", "s3BucketName": "payloads" } ]""")]
    [InlineData("""{"S3BucketName":"payloads","S3Key":"k"}""")]
    public async Task Pointer_OfEachClient_IsReplacedByThePayload(string body)
    {
        await using TestWorker worker = await StartAsync();

        (await worker.SendAsync(body)).ShouldBe(Settlement.Complete);
        EnvelopeWorker.StoredBy(worker).ShouldBe(["""a: {"MessageId":"a"}"""]);
        _opened.ShouldBe(["payloads/k"]);
    }

    [Theory]
    [InlineData("""{"MessageId":"a"}""")]
    [InlineData("""{"MessageId":"a","s3BucketName":"payloads","s3Key":"k"}""")]
    public async Task Body_ThatIsNoPointer_IsItsOwnContent(string body)
    {
        await using TestWorker worker = await StartAsync();

        (await worker.SendAsync(body)).ShouldBe(Settlement.Complete);
        EnvelopeWorker.StoredBy(worker).ShouldBe([$"a: {body}"]);
        _opened.ShouldBeEmpty();
    }

    [Fact]
    public async Task Body_ThatIsMarkedAndNoPointer_IsADeadLetter()
    {
        await using TestWorker worker = await StartAsync();

        (await worker.SendAsync("{}", attributes: [new("ExtendedPayloadSize", "300000")])).Reason.ShouldBe("not-a-payload-pointer");
    }

    [Fact]
    public async Task Bucket_ThatIsNotAllowed_IsNotRead()
    {
        await using TestWorker worker = await StartAsync();
        const string Body = """{"s3BucketName":"other-account","s3Key":"k"}""";

        Settlement settlement = await worker.SendAsync(Body);

        settlement.Reason.ShouldBe("pointer-bucket-not-allowed");
        settlement.Description!.ShouldContain("s3://other-account/k");
        _opened.ShouldBeEmpty();
        Encoding.UTF8.GetString(worker.DeadLetters.Messages.ShouldHaveSingleItem().Body).ShouldBe(Body);
    }

    [Theory]
    [InlineData(AwsErrorKind.Missing, "NoSuchKey", "pointer-object-missing", 3)]
    [InlineData(AwsErrorKind.Rejected, "KeyTooLongError", "pointer-object-missing", 1)]
    [InlineData(AwsErrorKind.Refused, "InvalidObjectState", "pointer-object-archived", 1)]
    public async Task Payload_ThatCannotBeHad_IsADeadLetterWhole(AwsErrorKind kind, string code, string reason, int deliveries)
    {
        await using TestWorker worker = await StartAsync();
        _answer = () => new S3ObjectContent(new S3Fault(kind, code, Status: 404));

        Settlement settlement = await worker.SendAsync(Pointer);

        settlement.Reason.ShouldBe(reason);
        settlement.Description!.ShouldContain("s3://payloads/k");
        _opened.Count.ShouldBe(deliveries);
        Encoding.UTF8.GetString(worker.DeadLetters.Messages.ShouldHaveSingleItem().Body).ShouldBe(Pointer);
    }

    [Fact]
    public async Task Payload_WhileS3Fails_IsTriedAgain()
    {
        await using TestWorker worker = await StartAsync();
        Func<S3ObjectContent> payload = _answer;
        _answer = () => _opened.Count switch
        {
            1 => new S3ObjectContent(new S3Fault(AwsErrorKind.Transient, "SlowDown", Status: 503)),
            2 => new S3ObjectContent(new BrokenStream(), 17, "etag"),
            _ => payload(),
        };

        (await worker.SendAsync(Pointer)).ShouldBe(Settlement.Complete);
        EnvelopeWorker.StoredBy(worker).ShouldBe(["""a: {"MessageId":"a"}"""]);
        _opened.Count.ShouldBe(3);
    }

    [Fact]
    public async Task Payload_LargerThanTheRouteAllows_IsADeadLetter()
    {
        await using TestWorker worker = await StartAsync();
        _answer = () => new S3ObjectContent(new MemoryStream(new byte[(1 << 20) + 1]), (1 << 20) + 1, "etag");

        (await worker.SendAsync(Pointer)).Reason.ShouldBe("too-large");
    }

    [Theory]
    [InlineData("ExtendedClient", Pointer, "payloads/k")]
    [InlineData("Base64, ExtendedClient", "eyJzM0J1Y2tldE5hbWUiOiJwYXlsb2FkcyIsInMzS2V5IjoiayJ9", "payloads/k")]
    [InlineData("ExtendedClient", """{"MessageId":"a"}""", "")]
    [InlineData("JsonLines, ExtendedClient", "{\"s3BucketName\":\"payloads\",\"s3Key\":\"k\"}\n{\"s3BucketName\":\"payloads\",\"s3Key\":\"bad\"}\n{\"s3BucketName\":\"other\",\"s3Key\":\"k\"}", "payloads/k")]
    [InlineData("JsonArray, ExtendedClient", """[{"s3BucketName":"payloads","s3Key":"k"},{"s3BucketName":"payloads","s3Key":"l"}]""", "payloads/k,payloads/l")]
    public async Task Deletion_OfPayloads_IsForThoseThatWereStored(string envelope, string body, string deleted)
    {
        await using (TestWorker worker = await StartAsync(envelope, deletes: true))
        {
            (await worker.SendAsync(body)).ShouldBe(Settlement.Complete);
        }

        // A stop finishes the deletions.
        _deleted.Order(StringComparer.Ordinal).ShouldBe(deleted.Split(',', StringSplitOptions.RemoveEmptyEntries));
    }

    [Fact]
    public async Task Deletion_OfADeadLetter_IsNever()
    {
        await using (TestWorker worker = await StartAsync(deletes: true))
        {
            (await worker.SendAsync("""{"s3BucketName":"payloads","s3Key":"bad"}""")).Reason.ShouldBe("missing-id");
        }

        _deleted.ShouldBeEmpty();
    }

    [Fact]
    public async Task Deletion_WhileTheSinkFails_WaitsForTheMessage()
    {
        await using (TestWorker worker = await StartAsync(deletes: true))
        {
            ConcurrentQueue<int> deleted = [];
            worker.Stored.Script = _ =>
            {
                deleted.Enqueue(_deleted.Count);
                return deleted.Count < 3 ? new SinkResult(SinkStatus.Transient, "busy") : null;
            };
            (await worker.SendAsync(Pointer)).ShouldBe(Settlement.Complete);
            deleted.ShouldBe([0, 0, 0]);
        }

        _deleted.ShouldBe(["payloads/k"]);
    }

    [Theory]
    [InlineData(AwsErrorKind.Refused, "AccessDenied", 1, "AccessDenied (403). Grant s3:DeleteObject")]
    [InlineData(AwsErrorKind.Transient, "SlowDown", 3, "SlowDown (403)")]
    public async Task Deletion_ThatFails_LeavesTheMessageCompleted(AwsErrorKind kind, string code, int attempts, string logged)
    {
        _deletion = _ => new S3Fault(kind, code, Status: 403);
        ConcurrentQueue<string> outcomes = [];
        using MeterListener listener = new()
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == RouteMetrics.SourceName && instrument.Name == "worker.payloads.deletions")
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        string route = $"payloads-{code}";
        listener.SetMeasurementEventCallback<long>((_, value, tags, _) =>
        {
            // The meter is shared with other tests: only this route counts.
            Dictionary<string, object?> all = new(tags.ToArray(), StringComparer.Ordinal);
            if (Equals(all["worker.route"], route))
            {
                outcomes.Enqueue($"{all["worker.outcome"]} {value}");
            }
        });
        listener.Start();
        TestWorker worker = await StartAsync(deletes: true, route: route);
        await using (worker)
        {
            (await worker.SendAsync(Pointer)).ShouldBe(Settlement.Complete);
        }

        outcomes.ShouldBe(["failed 1"]);

        _deleted.Count.ShouldBe(attempts);
        worker.Log.Entries.Single(entry => entry.Id == 4110).Text.ShouldContain($"the payload s3://payloads/k of a completed message was not deleted and stays in its bucket (S3 DeleteObject: {logged})");
        worker.DeadLetters.Messages.ShouldBeEmpty();
    }

    [Fact]
    public async Task Deletion_ThatFailsOnce_IsTriedAgain()
    {
        _deletion = attempt => attempt == 1 ? new S3Fault(AwsErrorKind.Throttled, "SlowDown", Status: 503) : S3Fault.None;
        TestWorker worker = await StartAsync(deletes: true);
        await using (worker)
        {
            (await worker.SendAsync(Pointer)).ShouldBe(Settlement.Complete);
        }

        _deleted.Count.ShouldBe(2);
        worker.Log.Entries.ShouldNotContain(entry => entry.Id == 4110);
    }

    private Task<TestWorker> StartAsync(string envelope = "ExtendedClient", bool deletes = false, string route = "archive") => TestWorker.StartAsync(
        worker => worker.AddEnvelopes().AddEnvelope(new FakeFeature(Open, deletes ? Delete : null)).AddArchive(),
        [
            new($"Routes:{route}:Handler", "Archive"),
            new($"Routes:{route}:Sink", TestWorker.Sink),
            new($"Routes:{route}:Envelope", envelope),
            new("Handlers:Archive:Template", "{MessageId}"),
        ]);

    private ValueTask<S3ObjectContent> Open(PayloadPointer pointer, TimeSpan limit, CancellationToken cancellationToken)
    {
        lock (_opened)
        {
            _opened.Add($"{pointer.Bucket}/{pointer.Key}");
        }

        return ValueTask.FromResult(pointer.Key switch
        {
            "bad" => new S3ObjectContent(new MemoryStream("{}"u8.ToArray()), 2, "etag"),
            "l" => new S3ObjectContent(new MemoryStream("""{"MessageId":"l"}"""u8.ToArray()), 17, "etag"),
            _ => _answer(),
        });
    }

    private ValueTask<S3Fault> Delete(PayloadPointer pointer, TimeSpan limit, CancellationToken cancellationToken)
    {
        lock (_deleted)
        {
            _deleted.Add($"{pointer.Bucket}/{pointer.Key}");
            return ValueTask.FromResult(_deletion(_deleted.Count));
        }
    }

    private sealed class FakeFeature(
        Func<PayloadPointer, TimeSpan, CancellationToken, ValueTask<S3ObjectContent>> open, Func<PayloadPointer, TimeSpan, CancellationToken, ValueTask<S3Fault>>? delete) : IEnvelopeFeature
    {
        public string Name => "ExtendedClient";

        public EnvelopePlan Configure(SettingsReader settings, string route) => new()
        {
            DeletesPayload = new SettingValue<bool>("Envelopes:ExtendedClient:DeletePayloads", delete is not null),
            Create = services =>
            {
                PayloadDeletion? deletion = delete is null ? null : new PayloadDeletion(services.Route, delete, services.Time, services.Loggers.CreateLogger("payloads"));
                if (deletion is not null)
                {
                    services.Owned.Add(deletion);
                }

                return new ExtendedClientEnvelope(open, new ExtendedClientOptions { Buckets = ["payloads"] }, deletion, services.Breaker, services.Time);
            },
        };
    }

    private sealed class BrokenStream : MemoryStream
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) => throw new IOException("reset");
    }
}
