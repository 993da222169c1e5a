using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.Aws.Sqs.Wire;

namespace Messaging.Tests.Aws.Sqs.Redrive;

public sealed class SqsDeadLetterDetailsTests
{
    [Fact]
    public void Read_TheWorkersRecord_GivesWhatTheDryRunShows()
    {
        SqsDeadLetterDetails details = Read("""{"sourceId":"a-1","description":"No JSON.","lastSeen":"2026-03-01T10:00:00.5+00:00"}""");

        details.SourceId.ShouldBe("a-1");
        details.LastSeen.ShouldBe(new DateTimeOffset(2026, 3, 1, 10, 0, 0, 500, TimeSpan.Zero));
        details.Description.ShouldBe("No JSON.");
        details.Attributes.ShouldBeEmpty();
    }

    [Fact]
    public void Read_RecordWithAttributes_GivesThemAsTexts()
    {
        SqsDeadLetterDetails details = Read("""{"attributes":{"trace":"t1","number":1,"none":null,"size":"12"}}""");

        details.Attributes
            .Select(attribute => (attribute.Name, attribute.DataType, attribute.StringValue))
            .ShouldBe([("trace", "String", "t1"), ("size", "String", "12")]);
    }

    [Theory]
    [InlineData("")]
    [InlineData("no JSON")]
    [InlineData("[]")]
    [InlineData("{}")]
    [InlineData("""{"sourceId":1,"description":null,"lastSeen":"yesterday"}""")]
    [InlineData("""{"description":"\ud800"}""")]
    [InlineData("""{"attributes":"none"}""")]
    public void Read_AnythingElse_GivesNothing(string details) => ShouldBeNothing(Read(details));

    [Fact]
    public void Read_MovedByARedrivePolicy_GivesNothing() => ShouldBeNothing(SqsDeadLetterDetails.Read([]));

    private static void ShouldBeNothing(SqsDeadLetterDetails details)
    {
        (details.SourceId, details.LastSeen, details.Description).ShouldBe((null, null, null));
        details.Attributes.ShouldBeEmpty();
    }

    private static SqsDeadLetterDetails Read(string details) => SqsDeadLetterDetails.Read([new SqsMessageAttribute("DeadLetterDetails", "String", details)]);
}
