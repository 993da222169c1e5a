using System.Text;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Settlements;
using Tests.Shared.CloudFront;

namespace Messaging.Tests.CloudFront;

/// <summary>From events to settlements: a message is completed only when every row of every object is accounted for.</summary>
public sealed class IndexTerminatorTests
{
    private static readonly byte[] Log = AccessLog.CreateCompressed(30);
    private static readonly string Event = Events.Of(Events.Record("a.gz"));

    [Fact]
    public async Task Handle_Event_IndexesEveryRowAndCompletes()
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", Log);

        (await run.HandleAsync(Event)).ShouldBe(Settlement.Complete);

        run.Sink.Documents.Count.ShouldBe(30);
        run.DeadLetters.Messages.ShouldBeEmpty();
    }

    [Theory]
    [InlineData(
        default(SinkStatus), false,
        "The sink memory returned the status Undecided, which decides nothing (scripted): CompleteAsync must return Stored only when every document is "
            + "accounted for, and otherwise what failed.")]
    [InlineData((SinkStatus)42, false, "The sink memory returned the status 42, which decides nothing")]
    [InlineData(
        SinkStatus.Stored, true,
        "The sink memory returned the status Undecided, which decides nothing (SendAsync returned false, as after a failure, "
            + "and then CompleteAsync returned Stored)")]
    public async Task Handle_SinkDecidesNothing_IsTheSinksFaultAndTheSinkIsNamed(SinkStatus status, bool contradicts, string description)
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", Log);
        run.Sink.Batch = _ => status;
        run.Sink.Contradicts = contradicts;

        Settlement settlement = await run.HandleAsync(Event);

        settlement.Fault.ShouldBe(SettlementFault.Transient);
        settlement.Description.ShouldNotBeNull().ShouldStartWith(description);
    }

    [Fact]
    public async Task Handle_SinkHasNoWriter_IsTheSinksFault()
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", Log);
        run.Sink.HasNoWriter = true;

        Settlement settlement = await run.HandleAsync(Event);

        settlement.Fault.ShouldBe(SettlementFault.Transient);
        settlement.Description.ShouldBe("The sink memory returned null from Begin: it must return a writer.");
        run.Breaker.HasRecentFailure.ShouldBeTrue();
    }

    [Theory]
    [InlineData(typeof(IOException))]
    [InlineData(typeof(TaskCanceledException))]
    [InlineData(typeof(InvalidOperationException))]
    public async Task Handle_SinkThrows_IsTheSinksFault(Type type)
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", Log);
        run.Sink.Batch = _ => throw (Exception)Activator.CreateInstance(type, "no route to host")!;

        Settlement settlement = await run.HandleAsync(Event);

        settlement.Fault.ShouldBe(SettlementFault.Transient);
        settlement.MayHold.ShouldBeTrue();
        settlement.Description.ShouldBe($"The sink memory threw {type.Name}: no route to host");
        run.Breaker.HasRecentFailure.ShouldBeTrue("The breaker counts it.");
    }

    [Fact]
    public async Task Handle_DeadLetterCannotBeWritten_IsNoFaultOfTheSink()
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", Log);
        run.Sink.Rejects = static index => index == 3;
        run.DeadLetters.Fail(times: 100);

        (await run.HandleAsync(Event)).Fault.ShouldBe(SettlementFault.Transient);

        run.Breaker.HasRecentFailure.ShouldBeFalse();
    }

    [Theory]
    [InlineData(Events.Test)]
    [InlineData("""{"Records":[]}""")]
    public async Task Handle_NothingToDo_CompletesWithoutARequest(string body)
    {
        CloudFrontRun run = new();

        (await run.HandleAsync(body)).ShouldBe(Settlement.Complete);

        run.Objects.Asked.ShouldBeEmpty();
    }

    [Theory]
    [InlineData("{}", "event-no-records")]
    [InlineData("{", "malformed-json")]
    public async Task Handle_NoEvent_IsADeadLetterWithoutARequest(string body, string reason)
    {
        CloudFrontRun run = new();

        Settlement settlement = await run.HandleAsync(body);

        settlement.Kind.ShouldBe(SettlementKind.DeadLetter);
        settlement.Reason.ShouldBe(reason);
        run.Objects.Asked.ShouldBeEmpty();
    }

    [Fact]
    public async Task Handle_ObjectIsMissing_IsRequestedAgainAndThenDeadLettered()
    {
        CloudFrontRun run = new();

        Settlement first = await run.HandleAsync(Event, delivery: 1);
        Settlement second = await run.HandleAsync(Event, delivery: 2);
        Settlement third = await run.HandleAsync(Event, delivery: 3);

        (first.Fault, second.Fault, first.MayHold).ShouldBe((SettlementFault.Transient, SettlementFault.Transient, false));
        first.Description.ShouldNotBeNull().ShouldContain("s3://logs/a.gz");
        run.Objects.Asked.Count.ShouldBe(3 + 3 + 1);
        third.Reason.ShouldBe("object-missing");
        run.Breaker.LastFailure.ShouldBeNull();
    }

    [Fact]
    public async Task Handle_ObjectAppearsLate_IsIndexed()
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", Log);
        run.Objects.Fault = static (_, times) => times < 3 ? new S3Fault(AwsErrorKind.Missing, "NoSuchKey", 404) : S3Fault.None;

        (await run.HandleAsync(Event)).ShouldBe(Settlement.Complete);

        run.Sink.Documents.Count.ShouldBe(30);
    }

    [Fact]
    public async Task Handle_ObjectWasReplaced_IsADeadLetter()
    {
        CloudFrontRun run = new();
        run.Objects.Fault = static (_, _) => new S3Fault(AwsErrorKind.Exists, "PreconditionFailed", 412);

        (await run.HandleAsync(Event)).Reason.ShouldBe("object-changed");
    }

    [Fact]
    public async Task Handle_ObjectIsArchived_IsADeadLetterAndStopsNothing()
    {
        CloudFrontRun run = new();
        run.Objects.Fault = static (_, _) => new S3Fault(AwsErrorKind.Refused, "InvalidObjectState", 403);

        (await run.HandleAsync(Event)).Reason.ShouldBe("object-archived");

        run.Breaker.State.ShouldBe(BreakerState.Closed);
    }

    [Fact]
    public async Task Handle_VersionIdIsMalformed_IsADeadLetterAndStopsNothing()
    {
        CloudFrontRun run = new();
        run.Objects.Fault = static (_, _) => new S3Fault(AwsErrorKind.Refused, "InvalidArgument", 400);

        Settlement settlement = await run.HandleAsync(Events.Of(Events.Record("a.gz", versionId: "no version")));

        settlement.Reason.ShouldBe("object-missing");
        settlement.Description.ShouldNotBeNull().ShouldContain("no version");
        run.Breaker.State.ShouldBe(BreakerState.Closed);
    }

    [Fact]
    public async Task Handle_InvalidArgumentWithoutAVersionId_StopsReceiving()
    {
        CloudFrontRun run = new();
        run.Objects.Fault = static (_, _) => new S3Fault(AwsErrorKind.Refused, "InvalidArgument", 400);

        (await run.HandleAsync(Event)).Fault.ShouldBe(SettlementFault.Refused);
    }

    [Fact]
    public async Task Handle_AccessDenied_StopsReceiving()
    {
        CloudFrontRun run = new();
        run.Objects.Fault = static (_, _) => new S3Fault(AwsErrorKind.Refused, "AccessDenied", 403);

        Settlement refused = await run.HandleAsync(Event);

        refused.Fault.ShouldBe(SettlementFault.Refused);
        refused.Description.ShouldNotBeNull().ShouldContain("s3:GetObject");
        run.Breaker.State.ShouldBe(BreakerState.Open);
        run.Breaker.IsRefused.ShouldBeTrue();
        run.Objects.Asked.Count.ShouldBe(1);
    }

    [Fact]
    public async Task Handle_StoreThrottles_IsRetriedInProcess()
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", Log);
        run.Objects.Fault = static (_, times) => times == 1 ? new S3Fault(AwsErrorKind.Transient, "SlowDown", 503) : S3Fault.None;

        (await run.HandleAsync(Event)).ShouldBe(Settlement.Complete);

        run.Objects.Asked.Count.ShouldBe(2);
    }

    [Fact]
    public async Task Handle_AnswerBreaksOff_IsReadAgainFromTheBeginning()
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", Log);
        int times = 0;
        run.Objects.Stream =
            bytes => Interlocked.Increment(ref times) == 1 ? Pieces.Of(bytes[..(bytes.Length / 2)], 100, suspend: true) : Pieces.Of(bytes, 100, suspend: true);

        (await run.HandleAsync(Event)).ShouldBe(Settlement.Complete);

        times.ShouldBe(2);
        run.Sink.Documents.Count.ShouldBe(30);
    }

    [Fact]
    public async Task Handle_FailureInTheSecondObject_DoesNotReadTheFirstAgainInProcess()
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", Log);
        run.Objects.Put("b.gz", AccessLog.CreateCompressed(5));
        run.Objects.Fault = static (key, times) => key == "b.gz" && times < 3 ? new S3Fault(AwsErrorKind.Transient, "InternalError", 500) : S3Fault.None;

        (await run.HandleAsync(Events.Of(Events.Record("a.gz"), Events.Record("b.gz")))).ShouldBe(Settlement.Complete);

        run.Objects.Asked.ShouldBe(["a.gz", "b.gz", "b.gz", "b.gz"]);
        run.Sink.Documents.Count.ShouldBe(35);
    }

    [Theory]
    [InlineData("truncated", "gzip-truncated")]
    [InlineData("crc", "gzip-corrupt")]
    [InlineData("junk", "gzip-trailing-data")]
    [InlineData("plain", "not-gzip")]
    [InlineData("empty", "not-gzip")]
    [InlineData("bomb", "log-too-large")]
    [InlineData("no-fields", "log-no-fields")]
    public async Task Handle_BadObject_IsADeadLetterAfterTheOthersWereIndexed(string kind, string reason)
    {
        CloudFrontRun run = new();
        run.Objects.Put("bad.gz", kind switch
        {
            "truncated" => Log[..^20],
            "crc" => [.. Log[..^8], 1, 2, 3, 4, .. Log[^4..]],
            "junk" => [.. Log, 0, 0],
            "plain" => AccessLog.Create(3),
            "empty" => [],
            "bomb" => AccessLog.Compress(Encoding.ASCII.GetBytes("#Fields: date time cs(User-Agent)\n" + new string('\n', 65 << 20))),
            _ => AccessLog.Compress("a\tb\n"u8),
        });
        run.Objects.Put("a.gz", Log);

        Settlement settlement = await run.HandleAsync(Events.Of(Events.Record("bad.gz"), Events.Record("a.gz")));

        settlement.Kind.ShouldBe(SettlementKind.DeadLetter);
        settlement.Reason.ShouldBe(reason);
        settlement.Description!.ShouldContain("s3://logs/bad.gz");
        run.Objects.Asked.ShouldBe(["bad.gz", "a.gz"]);
        run.Sink.Documents.Count.ShouldBeGreaterThanOrEqualTo(30);
    }

    [Fact]
    public async Task Handle_BadRows_AreDeadLettersOfTheirOwn()
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", AccessLog.Compress("#Fields: date time cs(User-Agent)\nd\tt\tu\nbad\nd\tt\tu2\n"u8));

        (await run.HandleAsync(Event)).ShouldBe(Settlement.Complete);

        run.Sink.Documents.Count.ShouldBe(2);
        run.DeadLetters.Messages.ShouldHaveSingleItem().Body.ShouldBe("bad"u8.ToArray());
        DeadLetter letter = run.DeadLetters.Records.ShouldHaveSingleItem();
        letter.Reason.ShouldBe("row-too-few-columns");
        letter.IsPart.ShouldBeTrue();
        letter.Source.ShouldBe("cloudfront");
        letter.SourceId.ShouldEndWith("-2");
        letter.Attributes["key"].ShouldBe("a.gz");
        letter.Attributes["row"].ShouldBe("2");
    }

    [Fact]
    public async Task Handle_BadRowCannotBeDeadLettered_IsHeld()
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", AccessLog.Compress("#Fields: date time cs(User-Agent)\nbad\nd\tt\tu\n"u8));
        run.DeadLetters.Fail(1);

        Settlement settlement = await run.HandleAsync(Event);
        (settlement.Fault, settlement.RetryInProcess, settlement.MayHold).ShouldBe(
            (SettlementFault.Transient, false, true), "A full disk must not cost the event its deliveries.");
        (await run.HandleAsync(Event, delivery: 2)).ShouldBe(Settlement.Complete);

        run.DeadLetters.Messages.Count.ShouldBe(1);
    }

    [Fact]
    public async Task Handle_RejectedDocuments_AreDeadLettersWithTheirRow()
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", AccessLog.Compress("#Fields: date time cs(User-Agent)\nbad\nd\tt\tu2\nd\tt\tu3\nbad\nd\tt\tu5\n"u8));
        run.Sink.Rejects = static index => index is 1 or 2;

        (await run.HandleAsync(Event)).ShouldBe(Settlement.Complete);

        DeadLetter[] rejected = [.. run.DeadLetters.Records.Where(letter => letter.Reason == "document-rejected")];
        rejected.Select(letter => letter.Attributes["row"]).ShouldBe(["3", "5"]);
        rejected[0].Description.ShouldContain("400 mapper_parsing_exception: no");
        run.DeadLetters.Messages.Where(letter => letter.Reason == "document-rejected").Select(letter => Encoding.UTF8.GetString(letter.Body))
            .ShouldBe(["""{"date":"d","time":"t","user_agent":"u3"}""", """{"date":"d","time":"t","user_agent":"u5"}"""]);
        run.Sink.Documents.Count.ShouldBe(1);
    }

    [Fact]
    public async Task Handle_TooManyRejectedDocuments_ArePoison()
    {
        CloudFrontRun run = new(maxBadRows: 3);
        run.Objects.Put("a.gz", Log);
        run.Objects.Put("b.gz", AccessLog.Compress("#Fields: date time cs(User-Agent)\nd\tt\tu\n"u8));
        run.Sink.Rejects = static index => index > 0;

        Settlement settlement = await run.HandleAsync(Events.Of(Events.Record("a.gz"), Events.Record("b.gz")));

        settlement.Kind.ShouldBe(SettlementKind.DeadLetter);
        settlement.Reason.ShouldBe("documents-rejected");
        run.DeadLetters.Messages.Count.ShouldBe(3);
        run.Objects.Asked.ShouldBe(["a.gz", "b.gz"]);
        run.Sink.Documents.Values.ShouldContain("""{"date":"d","time":"t","user_agent":"u"}""");
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Handle_EveryDocumentIsRejected_IsADeadLetterOfTheEvent(int rows)
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", AccessLog.CreateCompressed(rows));
        run.Objects.Put("b.gz", Log);
        run.Sink.Rejects = index => run.Sink.Documents.Count == 0 && index < rows && run.Objects.Asked.Count == 1;

        Settlement settlement = await run.HandleAsync(Events.Of(Events.Record("a.gz"), Events.Record("b.gz")));

        (settlement.Kind, settlement.Reason).ShouldBe((SettlementKind.DeadLetter, "log-no-documents"));
        settlement.Description!.ShouldContain(
            $"None of the log's {rows} rows became a document. The sink rejected {rows} documents, the first with 400 mapper_parsing_exception: no.");
        run.Sink.Documents.Count.ShouldBe(30, "The other log is indexed.");
        run.Breaker.State.ShouldBe(BreakerState.Closed);
    }

    [Theory]
    [InlineData("a,b,c\n", "Row 1 has 1 column, and the #Fields line names 3. Tabs separate columns; this row has none, but 2 commas.")]
    [InlineData("a,b\na,b\na,b\n", "Row 1 has 1 column, and the #Fields line names 3. Tabs separate columns; this row has none, but 1 comma.")]
    [InlineData("a;b;c\n", "this row has none, but 2 semicolons.")]
    [InlineData("a|b|c\n", "this row has none, but 2 vertical bars.")]
    [InlineData("a b  c\n", "this row has none, but 3 blanks.")]
    [InlineData("a\tb\n", "Row 1 has 2 columns, and the #Fields line names 3.")]
    [InlineData("a\tb\tc\td\n", "Row 1 has 4 columns, and the #Fields line names 3.")]
    [InlineData("\n#x\na\tb\t\0\n", "Row 1 has a zero byte in it.")]
    [InlineData("a\tb\t\u00ff\n", "Row 1 has a chosen column that is not UTF-8.")]
    public async Task Handle_NoRowCanBeRead_IsADeadLetterOfTheEvent(string rows, string detail)
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", AccessLog.Compress(Encoding.Latin1.GetBytes($"#Version: 1.0\n#Fields: date time cs(User-Agent)\n{rows}")));

        Settlement settlement = await run.HandleAsync(Event);

        (settlement.Kind, settlement.Reason).ShouldBe((SettlementKind.DeadLetter, "log-no-documents"));
        settlement.Description!.ShouldContain(detail);
        run.DeadLetters.Records[0].Description.ShouldContain("s3://logs/a.gz: Row 1 has");
    }

    [Fact]
    public async Task Handle_RedrivenAfterTheIndexWasRepaired_Completes()
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", AccessLog.CreateCompressed(3));
        run.Sink.Rejects = static _ => true;
        (await run.HandleAsync(Event)).Reason.ShouldBe("log-no-documents");
        run.Sink.Rejects = static _ => false;

        (await run.HandleAsync(Event, delivery: 2)).ShouldBe(Settlement.Complete);
        (await run.HandleAsync(Event, delivery: 3)).ShouldBe(Settlement.Complete, "Existing documents count as indexed.");

        run.Sink.Documents.Count.ShouldBe(3);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(1)]
    [InlineData(-30)]
    public async Task Handle_SinkAccountsForOtherDocuments_IsNotCompleted(int difference)
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", Log);
        run.Sink.Miscount = difference;

        Settlement settlement = await run.HandleAsync(Event);

        (settlement.Fault, settlement.RetryInProcess).ShouldBe((SettlementFault.Transient, false));
        settlement.Description!.ShouldContain($"accounted for {30 + difference} of 30 documents");
    }

    [Fact]
    public async Task Handle_SinkFails_IsAbandonedWithoutARetryInProcess()
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", Log);
        run.Sink.Batch = static _ => SinkStatus.Transient;

        Settlement settlement = await run.HandleAsync(Event);

        (settlement.Fault, settlement.RetryInProcess, settlement.MayHold).ShouldBe((SettlementFault.Transient, false, true));
        run.Objects.Asked.Count.ShouldBe(1);
    }

    [Fact]
    public async Task Handle_SinkRefuses_StopsReceiving()
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", Log);
        run.Sink.Batch = static _ => SinkStatus.Refused;

        (await run.HandleAsync(Event)).Fault.ShouldBe(SettlementFault.Refused);

        run.Breaker.IsRefused.ShouldBeTrue();
    }
}
