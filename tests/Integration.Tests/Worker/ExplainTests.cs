using System.Text.Json.Nodes;

namespace Integration.Tests.Worker;

/// <summary>The command <c>explain</c>, for people and for scripts.</summary>
public sealed class ExplainTests
{
    private static readonly string[] SqsToS3 =
        ["explain", "--Routes:archive:Source=Sqs", "--Sources:Sqs:Queue=orders", "--Routes:archive:Sink=S3", "--Sinks:S3:Bucket=archive"];

    [Fact]
    public async Task Explain_SqsToS3_PrintsFiguresWithReasonsAndStartsNothing()
    {
        WorkerCommand result = await WorkerCommand.RunAsync(SqsToS3);

        result.ExitCode.ShouldBe(0, result.Text);
        result.Error.ShouldBeEmpty();
        string[] lines = result.Text.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        lines[0].ShouldBe("Route archive: Sqs -> S3; 18,000,000 messages per day of 1,024 bytes");
        lines.ShouldContain(line => line.Contains("S3 PutObject", StringComparison.Ordinal) && line.Contains("$90.00 per day", StringComparison.Ordinal));
        lines.ShouldContain(line => line.Contains("estimated cost per month", StringComparison.Ordinal) && line.Contains("$2,743.20", StringComparison.Ordinal));
        lines[^1].ShouldStartWith("  Largest saving: up to $2,694.60 per month: Bundles:Enabled=true: 500 messages per object");
    }

    [Fact]
    public async Task Explain_Json_IsOneDocument()
    {
        WorkerCommand result = await WorkerCommand.RunAsync([.. SqsToS3, "--json", "--messages-per-day", "1000000", "--messages-per-object", "50", "--message-bytes", "2048", "--put-latency-ms", "20"]);

        result.ExitCode.ShouldBe(0, result.Text);
        JsonNode json = JsonNode.Parse(result.Text)!;
        ((long)json["input"]!["messagesPerDay"]!).ShouldBe(1_000_000);
        JsonNode route = json["routes"]!.AsArray().ShouldHaveSingleItem()!;
        JsonNode put = route["lines"]!.AsArray().Single(line => (string)line!["name"]! == "s3.put")!;
        ((double)put["value"]!).ShouldBe(20_000);
        ((string)put["because"]!).ShouldNotBeEmpty();
    }
}
