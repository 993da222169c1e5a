using System.Collections.Concurrent;
using System.Text;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Execution;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Envelopes;

/// <summary>One message that holds several: each has an id and an outcome of its own, and the whole is settled when all are safe.</summary>
public sealed class SplittingTests
{
    private const string Three = """[{"MessageId":"a"}, {"MessageId":"b"},{"MessageId":"c"}]""";

    public static TheoryData<string> Forms => [.. PipelineForm.All.Select(form => form.Name)];

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task JsonArray_OfThree_StoresEachAndCompletesTheWhole(string form)
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("JsonArray", $"Pipeline:Form={form}");

        Settlement settlement = await worker.SendAsync(Three, "whole");

        settlement.ShouldBe(Settlement.Complete);
        EnvelopeWorker.StoredBy(worker).ShouldBe(["""a: {"MessageId":"a"}""", """b: {"MessageId":"b"}""", """c: {"MessageId":"c"}"""]);
        worker.DeadLetters.Messages.ShouldBeEmpty();
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task JsonArray_OneElementIsBad_IsADeadLetterAlone(string form)
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("JsonArray", $"Pipeline:Form={form}");

        Settlement settlement = await worker.SendAsync("""[{"MessageId":"a"},{"Message":"b"},{"MessageId":"c"}]""", "whole");

        settlement.ShouldBe(Settlement.Complete);
        worker.Stored.Objects.Keys.ShouldBe(["a", "c"], ignoreOrder: true);
        DeadLetteredMessage dead = worker.DeadLetters.Messages.ShouldHaveSingleItem();
        dead.Id.ShouldBe("whole-2");
        dead.Reason.ShouldBe("missing-id");
        dead.Description.ShouldStartWith("Message 2 of 3 in the envelope JsonArray: ");
        Encoding.UTF8.GetString(dead.Body).ShouldBe("""{"Message":"b"}""");
        worker.DeadLetters.Records.ShouldHaveSingleItem().IsPart.ShouldBeTrue();
        worker.Log.Entries.ShouldContain(
            entry => entry.Id.Id == 5400
                && entry.Text.Contains("whole-2", StringComparison.Ordinal)
                && entry.Text.Contains("missing-id", StringComparison.Ordinal));
    }

    [Fact]
    public async Task JsonArray_OneElementIsTooDeep_IsADeadLetterAlone()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("JsonArray");
        string deep = $"{{\"MessageId\":\"b\",\"x\":{new string('[', 64)}{new string(']', 64)}}}";

        Settlement settlement = await worker.SendAsync($"[{{\"MessageId\":\"a\"}},{deep}]", "whole");

        settlement.ShouldBe(Settlement.Complete);
        worker.Stored.Objects.Keys.ShouldBe(["a"]);
        worker.DeadLetters.Messages.ShouldHaveSingleItem().Reason.ShouldBe("too-deep");
    }

    [Fact]
    public async Task DeadLetters_OfAMessageWithLargeAttributes_RepeatOnlyALimitedPartOfThem()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("CloudEvents, JsonArray");
        string extensions = string.Concat(Enumerable.Range(0, 100).Select(index => $",\"x{index}\":\"{new string('v', 1_000)}\""));

        Settlement settlement = await worker.SendAsync(
            $"{{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/s\",\"type\":\"t\"{extensions},\"data\":[{{\"MessageId\":\"a\"}},1,2,3]}}");

        settlement.ShouldBe(Settlement.Complete);
        worker.DeadLetters.Records.Count.ShouldBe(3);
        worker.DeadLetters.Records.ShouldAllBe(
            record => record.Attributes["ce-type"] == "t" && record.Attributes.Sum(attribute => attribute.Key.Length + attribute.Value.Length) <= 4_096);
    }

    [Fact]
    public async Task DeadLetters_OfManyElements_AreWrittenTogether()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("JsonArray");

        Settlement settlement = await worker.SendAsync($"[{{\"MessageId\":\"a\"}}{string.Concat(Enumerable.Repeat(",1", 2_000))}]", "whole");

        settlement.ShouldBe(Settlement.Complete);
        worker.DeadLetters.Messages.Select(dead => dead.Id).ShouldBe(Enumerable.Range(2, 2_000).Select(number => $"whole-{number}"), ignoreOrder: true);
    }

    [Fact]
    public async Task JsonLines_OneLineIsMalformed_IsADeadLetterAlone()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("JsonLines");

        Settlement settlement = await worker.SendAsync("{\"MessageId\":\"a\"}\r\n\n{\"MessageId\":\n{\"MessageId\":\"c\"}", "whole");

        settlement.ShouldBe(Settlement.Complete);
        EnvelopeWorker.StoredBy(worker).ShouldBe(["""a: {"MessageId":"a"}""", """c: {"MessageId":"c"}"""]);
        worker.DeadLetters.Messages
            .ShouldHaveSingleItem()
            .ShouldSatisfyAllConditions(dead => dead.Id.ShouldBe("whole-2"), dead => dead.Reason.ShouldBe("malformed-json"));
    }

    [Fact]
    public async Task Whole_AnElementMustBeTriedAgain_IsRedeliveredAndNothingIsWrittenAsideBefore()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("JsonArray", "Recoverability:Attempts=1");
        int failures = 2;
        int aside = -1;
        worker.Stored.Script = key =>
        {
            if (key != "c" || Interlocked.Decrement(ref failures) < 0)
            {
                return null;
            }

            aside = Math.Max(aside, worker.DeadLetters.Messages.Count);
            return new SinkResult(SinkStatus.Transient, "throttled");
        };

        SentMessage sent = worker.Send("""[{"MessageId":"a"},{"Message":"b"},{"MessageId":"c"}]"""u8, "whole");
        Settlement settlement = await worker.WhenSettledAsync(sent);

        settlement.ShouldBe(Settlement.Complete);
        sent.Settlements.Count.ShouldBe(3);
        sent.Settlements[0].Kind.ShouldBe(SettlementKind.Abandon);
        aside.ShouldBe(0);
        worker.Stored.Objects.Keys.ShouldBe(["a", "c"], ignoreOrder: true);
        worker.DeadLetters.Messages.ShouldHaveSingleItem().Id.ShouldBe("whole-2");
    }

    [Fact]
    public async Task Whole_TheDeadLetterOfAnElementCannotBeWritten_IsNotAcknowledged()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("JsonArray");
        worker.DeadLetters.Fail(times: 1);

        SentMessage sent = worker.Send("""[{"MessageId":"a"},{"Message":"b"}]"""u8, "whole");
        Settlement settlement = await worker.WhenSettledAsync(sent);

        settlement.ShouldBe(Settlement.Complete);
        sent.Settlements.Count.ShouldBe(2);
        sent.Settlements[0].Kind.ShouldBe(SettlementKind.Abandon);
        worker.DeadLetters.Messages.ShouldHaveSingleItem().Id.ShouldBe("whole-2");
    }

    [Theory]
    [InlineData("""[{"Message":"a"},{"Message":"b"}]""", "missing-id", "None of 2 messages can be processed. Message 1 of 2 in the envelope JsonArray: ")]
    [InlineData("[1]", "not-an-object", "Message 1 of 1 in the envelope JsonArray: ")]
    public async Task JsonArray_EveryElementIsBad_TheWholeIsTheDeadLetter(string body, string reason, string description)
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("JsonArray");

        Settlement settlement = await worker.SendAsync(body, "whole");

        settlement.Reason.ShouldBe(reason);
        settlement.Description.ShouldStartWith(description);
        DeadLetteredMessage dead = worker.DeadLetters.Messages.ShouldHaveSingleItem();
        dead.Id.ShouldBe("whole");
        Encoding.UTF8.GetString(dead.Body).ShouldBe(body);
    }

    [Theory]
    [InlineData("JsonArray", """[{"MessageId":"a"},{"MessageId":"b"]""", "json-array-damaged", "byte 35")]
    [InlineData("JsonArray", """[{"MessageId":"a"}] x""", "json-array-damaged", "byte 20")]
    [InlineData("JsonArray", """{"MessageId":"a"}""", "not-a-json-array", "byte 0")]
    [InlineData("JsonArray", "", "not-a-json-array", "byte 0")]
    [InlineData("JsonLines", " \n\r\n", "no-json-lines", "no line")]
    public async Task Whole_ThatIsNoneOfItsKind_IsADeadLetterWithThePosition(string envelope, string body, string reason, string position)
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync(envelope);

        Settlement settlement = await worker.SendAsync(body, "whole");

        settlement.Reason.ShouldBe(reason);
        settlement.Description!.ShouldContain(position);
        worker.Stored.Objects.ShouldBeEmpty();
        Encoding.UTF8.GetString(worker.DeadLetters.Messages.ShouldHaveSingleItem().Body).ShouldBe(body);
    }

    [Fact]
    public async Task JsonArray_Empty_CompletesTheWhole()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("JsonArray");

        (await worker.SendAsync(" [ ] ")).ShouldBe(Settlement.Complete);
        worker.Stored.Objects.ShouldBeEmpty();
    }

    [Fact]
    public async Task Elements_WithoutIdsOfTheirOwn_HaveThatOfTheWholeWithTheirNumber()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("JsonArray", "Handlers:Archive:MissingId=UseSourceId");

        await worker.SendAsync("""[{"x":1},{"x":2}]""", "whole");

        EnvelopeWorker.StoredBy(worker).ShouldBe(["""whole-1: {"x":1}""", """whole-2: {"x":2}"""]);
    }

    [Fact]
    public async Task Elements_MoreThanAllowed_MakeTheWholeADeadLetter()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("JsonArray", "Unwrapping:MaxElements=2");

        (await worker.SendAsync(Three)).Reason.ShouldBe("too-many-elements");
        worker.Stored.Objects.ShouldBeEmpty();
    }

    [Fact]
    public async Task Elements_OneAtATime_KeepTheirOrder()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("JsonLines", "Unwrapping:ElementConcurrency=1");
        ConcurrentQueue<string> order = new();
        worker.Stored.Script = key =>
        {
            order.Enqueue(key);
            return null;
        };

        await worker.SendAsync(string.Join('\n', Enumerable.Range(10, 50).Select(number => $$"""{"MessageId":"{{number}}"}""")));

        order.ShouldBe(Enumerable.Range(10, 50).Select(number => $"{number}"));
    }

    [Fact]
    public async Task Elements_OfARouteWithBundles_WaitTogether()
    {
        // A bundle would wait for a minute for its third line if the elements came one after the other.
        await using TestWorker worker = await EnvelopeWorker.StartAsync(
            "JsonLines", "Unwrapping:ElementConcurrency=1", "Bundles:Enabled=true", "Bundles:MaxMessages=30", "Bundles:MaxAge=1m", "Intake:MessageTimeout=10m");

        Settlement settlement = await worker.SendAsync(string.Join('\n', Enumerable.Range(10, 30).Select(number => $$"""{"MessageId":"{{number}}"}""")));

        settlement.ShouldBe(Settlement.Complete);
        worker.Stored.Objects.ShouldHaveSingleItem();
    }

    [Fact]
    public async Task Envelopes_SplittingTwiceAndUnwrappingBetween_GiveEachMessageAnId()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("JsonLines, Base64, JsonArray", "Handlers:Archive:MissingId=UseSourceId");
        string Encode(string text) => Convert.ToBase64String(Encoding.UTF8.GetBytes(text));

        Settlement settlement = await worker.SendAsync($"{Encode("""[{"x":1},{"x":2}]""")}\n{Encode("""[{"x":3},7]""")}\n!", "whole");

        settlement.ShouldBe(Settlement.Complete);
        EnvelopeWorker.StoredBy(worker).ShouldBe(["""whole-1-1: {"x":1}""", """whole-1-2: {"x":2}""", """whole-2-1: {"x":3}"""]);
        worker.DeadLetters.Messages.Select(dead => $"{dead.Id} {dead.Reason}").ShouldBe(["whole-2-2 not-an-object", "whole-3 not-base64"], ignoreOrder: true);
    }
}
