using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Sources.Channels;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Sources.Channels;

/// <summary>What a publisher gives a message beside its body.</summary>
public sealed class MessagePropertiesTests
{
    [Fact]
    public async Task Publish_WithProperties_TheNextMessageHasNone()
    {
        await using ChannelSourceHarness harness = new(options => options.Capacity = 1);
        await harness.StartAsync();
        List<KeyValuePair<string, string>> attributes = [new("tenant", "acme")];
        MessageProperties properties = new() { Attributes = attributes, Group = "g-7", DeduplicationId = "d-1" };
        attributes.Clear();

        await harness.Publisher.PublishAsync("1"u8.ToArray(), "id-1", properties, TestContext.Current.CancellationToken);
        Delivery first = await harness.Intake.NextAsync();
        first.Message.Attributes.ShouldBe([new("tenant", "acme")]);
        (first.Message.Group, first.Message.DeduplicationId).ShouldBe(("g-7", "d-1"));
        await first.SettleAsync(Settlement.Complete);

        await harness.PublishAsync("2"u8.ToArray());
        Delivery second = await harness.Intake.NextAsync();
        second.Message.Attributes.ShouldBeEmpty();
        (second.Message.Group, second.Message.DeduplicationId).ShouldBe((null, null));
        await second.SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task DeadLetter_WithProperties_KeepsThem()
    {
        await using ChannelSourceHarness harness = new();
        harness.Intake.Script = _ => Settlement.DeadLetter("bad", "Why.");
        await harness.StartAsync();

        await harness.Publisher.PublishAsync(
            "1"u8.ToArray(), id: null, new MessageProperties { Attributes = [new("tenant", "acme")], Group = "g-7", DeduplicationId = "d-1" },
            TestContext.Current.CancellationToken);

        await harness.DeadLettersAsync(1);
        DeadLetter letter = harness.DeadLetters.Records.ShouldHaveSingleItem();
        letter.Attributes.ShouldContainKeyAndValue("tenant", "acme");
        (letter.Group, letter.DeduplicationId).ShouldBe(("g-7", "d-1"));
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Publish_BodyAndPropertiesTooLarge_SaysBoth()
    {
        await using ChannelSourceHarness harness = new(options => options.MaxMessageBytes = 10);
        MessageProperties properties = new() { Attributes = [new("a", "é")], Group = "gg", DeduplicationId = "d" };
        await harness.StartAsync();
        harness.Intake.Script = _ => Settlement.Complete;

        await harness.Publisher.PublishAsync("1234"u8.ToArray(), id: null, properties, TestContext.Current.CancellationToken);
        ArgumentException refused = await Should.ThrowAsync<ArgumentException>(
            async () => await harness.Publisher.PublishAsync("12345"u8.ToArray(), id: null, properties, TestContext.Current.CancellationToken));

        refused.Message.ShouldContain(
            "The body has 5 bytes and its properties 6; route 'orders' allows at most 10 together (Sources:Channel:MaxMessageBytes).");
        harness.Publisher.Published.ShouldBe(1);
        await harness.FinishAsync();
    }

    [Fact]
    public void Make_EmptyOrRepeatedOrInvalid_Throws()
    {
        Refusal(() => new MessageProperties { Attributes = [new("", "v")] }).ShouldContain("The name of an attribute is empty.");
        Refusal(() => new MessageProperties { Attributes = [new("a", "1"), new("a", "2")] }).ShouldContain("The attribute 'a' is given twice");
        Refusal(() => new MessageProperties { Attributes = [new("a", null!)] }).ShouldContain("The attribute 'a' is null.");
        Refusal(() => new MessageProperties { Attributes = [new("a", "\ud800")] }).ShouldContain(
            "The attribute 'a' is not valid text: it contains a lone surrogate.");
        Refusal(() => new MessageProperties { Group = "" }).ShouldContain("The group is empty; null means none.");
        Refusal(() => new MessageProperties { DeduplicationId = "\udc00" }).ShouldContain("The deduplication id is not valid text");
        new MessageProperties { Attributes = [new("a", ""), new("A", "1")], Group = null }.Attributes.Count.ShouldBe(2);
    }

    private static string Refusal(Func<object> make) => Should.Throw<ArgumentException>(make).Message;
}
