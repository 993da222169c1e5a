using Messaging.Aws.Sqs.Redrive;
using Messaging.Aws.Sqs.Wire;

namespace Worker.Tests.Aws.Sqs.Redrive;

public sealed class SqsDeadLetterDetailsTests
{
    [Fact]
    public void Read_TheWorkersRecord_GivesWhatTheDryRunShows()
    {
        SqsDeadLetterDetails details = Read("""{"sourceId":"a-1","description":"No JSON.","lastSeen":"2026-03-01T10:00:00.5+00:00"}""");

        details.ShouldBe(new SqsDeadLetterDetails("a-1", new DateTimeOffset(2026, 3, 1, 10, 0, 0, 500, TimeSpan.Zero), "No JSON."));
    }

    [Theory]
    [InlineData("")]
    [InlineData("no JSON")]
    [InlineData("[]")]
    [InlineData("{}")]
    [InlineData("""{"sourceId":1,"description":null,"lastSeen":"yesterday"}""")]
    [InlineData("""{"description":"\ud800"}""")]
    public void Read_AnythingElse_GivesNothing(string details) => Read(details).ShouldBe(default);

    [Fact]
    public void Read_MovedByARedrivePolicy_GivesNothing() => SqsDeadLetterDetails.Read([]).ShouldBe(default);

    private static SqsDeadLetterDetails Read(string details) => SqsDeadLetterDetails.Read([new SqsMessageAttribute("DeadLetterDetails", "String", details)]);
}
