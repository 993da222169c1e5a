using System.Text;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.ExtendedClient;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Envelopes;

/// <summary>The pointer of the SQS Extended Client: whose payload is read, and what becomes of one that cannot be.</summary>
public sealed class ExtendedClientTests
{
    private const string Pointer = """["software.amazon.payloadoffloading.PayloadS3Pointer",{"s3BucketName":"payloads","s3Key":"k"}]""";

    private readonly List<string> _opened = [];
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
    internal async Task Payload_ThatCannotBeHad_IsADeadLetterWhole(AwsErrorKind kind, string code, string reason, int deliveries)
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

    private Task<TestWorker> StartAsync() => TestWorker.StartAsync(
        worker => worker.AddEnvelopes().AddEnvelope(new FakeFeature(Open)).AddArchive(),
        [
            new("Routes:archive:Handler", "Archive"),
            new("Routes:archive:Sink", TestWorker.Sink),
            new("Routes:archive:Envelope", "ExtendedClient"),
            new("Handlers:Archive:Template", "{MessageId}"),
        ]);

    private ValueTask<S3ObjectContent> Open(PayloadPointer pointer, TimeSpan limit, CancellationToken cancellationToken)
    {
        lock (_opened)
        {
            _opened.Add($"{pointer.Bucket}/{pointer.Key}");
        }

        return ValueTask.FromResult(_answer());
    }

    private sealed class FakeFeature(Func<PayloadPointer, TimeSpan, CancellationToken, ValueTask<S3ObjectContent>> open) : IEnvelopeFeature
    {
        public string Name => "ExtendedClient";

        public EnvelopePlan Configure(SettingsReader settings, string route) => new()
        {
            Create = services => new ExtendedClientEnvelope(open, new ExtendedClientOptions { Buckets = ["payloads"] }, services.Breaker, services.Time),
        };
    }

    private sealed class BrokenStream : MemoryStream
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) => throw new IOException("reset");
    }
}
