using System.Text;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;
using Worker.Tests.Intake;

namespace Worker.Tests.Telemetry;

/// <summary>Which messages a live tail copies, and how much of them.</summary>
public sealed class MessageTailTests
{
    private readonly ManualTimeProvider _time = new();
    private readonly RouteTails _tails = new();

    [Fact]
    public void Offer_CopiesWhatAMessageIsAndBecame()
    {
        using MessageTail tail = _tails.Begin(perSecond: 10, maxBytes: 100, _time);
        long acceptedAt = _time.GetTimestamp();
        _time.Advance(TimeSpan.FromMilliseconds(250));
        TestMessage message = new() { Id = "a\u001bb", Bytes = [1, 2, 3], Deliveries = 2, Named = [new("tenant", "x")] };

        tail.Offer("http", message, Settlement.DeadLetter("no-date", "It has none."), acceptedAt);
        message.Bytes[0] = 9;

        tail.Messages.TryRead(out TailedMessage? copy).ShouldBeTrue();
        (copy.Source, copy.Id, copy.DeliveryCount, copy.Result, copy.Reason, copy.Took, copy.BodyBytes, copy.IsCut)
            .ShouldBe(("http", "a\\u001bb", 2, SettlementKind.DeadLetter, "no-date", TimeSpan.FromMilliseconds(250), 3, false));
        copy.Body.ToArray().ShouldBe([1, 2, 3]);
        copy.Attributes.ShouldBe([new("tenant", "x")]);
    }

    [Fact]
    public void Offer_MoreThanPerSecond_TakesTheFirstOfEachSecond()
    {
        using MessageTail tail = _tails.Begin(perSecond: 3, maxBytes: 100, _time);
        for (int i = 0; i < 10; i++)
        {
            Offer(tail, $"a{i}");
        }

        _time.Advance(TimeSpan.FromSeconds(1));
        Offer(tail, "b0");

        ReadIds(tail).ShouldBe(["a0", "a1", "a2", "b0"]);
        (tail.Skipped, tail.Dropped).ShouldBe((7, 0));
    }

    [Fact]
    public void Offer_ReaderThatReadsNothing_DropsAndCountsAndNeverWaits()
    {
        using MessageTail tail = _tails.Begin(perSecond: 1_000, maxBytes: 100, _time);
        for (int i = 0; i < 200; i++)
        {
            Offer(tail, $"{i}");
        }

        (tail.Skipped, tail.Dropped).ShouldBe((0, 200 - MessageTail.MaxWaiting));
        ReadIds(tail).ShouldBe([.. Enumerable.Range(0, MessageTail.MaxWaiting).Select(i => $"{i}")]);
        Offer(tail, "later");
        ReadIds(tail).ShouldBe(["later"]);
    }

    [Theory]
    [InlineData(10, 10, false, 0)]
    [InlineData(10, 9, true, 0)]
    [InlineData(10, 19, true, 0)]
    [InlineData(10, 20, false, 1)]
    public void Offer_LargerThanItMayShow_IsCut(int bodyBytes, int maxBytes, bool isCut, int attributes)
    {
        using MessageTail tail = _tails.Begin(perSecond: 10, maxBytes, _time);

        tail.Offer("http", new TestMessage { Bytes = new byte[bodyBytes], Named = maxBytes <= bodyBytes ? [] : [new("tenant", "1234")] }, Settlement.Complete, 0);

        tail.Messages.TryRead(out TailedMessage? copy).ShouldBeTrue();
        (copy.Body.Length, copy.BodyBytes, copy.IsCut, copy.Attributes.Count).ShouldBe((Math.Min(bodyBytes, maxBytes), bodyBytes, isCut, attributes));
    }

    [Fact]
    public void Offer_MessageThatCannotBeRead_IsDroppedAndCounted()
    {
        using MessageTail tail = _tails.Begin(perSecond: 10, maxBytes: 100, _time);

        tail.Offer("http", new TestMessage { BodyFailure = new IOException("gone") }, Settlement.Complete, 0);

        (tail.Messages.TryRead(out _), tail.Dropped).ShouldBe((false, 1));
    }

    [Fact]
    public void Dispose_EndsIt_AndTheLastOneLeavesNothingBehind()
    {
        _tails.Current.ShouldBeNull();
        MessageTail first = _tails.Begin(1, 1, _time);
        MessageTail second = _tails.Begin(1, 1, _time);

        first.Dispose();
        first.Dispose();
        _tails.Current.ShouldBe([second]);
        second.Dispose();

        _tails.Current.ShouldBeNull("A message then costs as little as before.");
        second.Messages.Completion.IsCompleted.ShouldBeTrue();
    }

    private static void Offer(MessageTail tail, string id) => tail.Offer("http", new TestMessage { Id = id, Bytes = Encoding.UTF8.GetBytes("{}") }, Settlement.Complete, 0);

    private static List<string> ReadIds(MessageTail tail)
    {
        List<string> ids = [];
        while (tail.Messages.TryRead(out TailedMessage? copy))
        {
            ids.Add(copy.Id);
        }

        return ids;
    }
}
