namespace Integration.Tests.Worker;

/// <summary>The command <c>explain</c>.</summary>
public sealed class ExplainTests
{
    [Fact]
    public async Task Explain_SqsToS3_PrintsTheFactsOfItsPlanAndStartsNothing()
    {
        WorkerCommand result = await WorkerCommand.RunAsync(
            "explain", "--Routes:archive:Source=Sqs", "--Sources:Sqs:Queue=orders", "--Routes:archive:Sink=S3", "--Sinks:S3:Bucket=archive",
            "--Intake:Concurrency=100");

        result.ExitCode.ShouldBe(0, result.Text);
        result.Error.ShouldBeEmpty();
        string[] lines = [.. result.Text.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.TrimEnd())];
        lines[0].ShouldBe("Route archive: Sqs -> Archive -> S3");
        lines.ShouldContain("  Sqs, in flight         at most 100 messages");
        lines.ShouldContain(line => line.StartsWith("  Sqs, a kill            redelivers up to 100 messages", StringComparison.Ordinal));
        lines.ShouldContain(line => line.StartsWith("  memory of bodies       at most 209,715,200 bytes", StringComparison.Ordinal));
        lines.ShouldContain(line => line.StartsWith("  stores                 one call to S3 per message", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Explain_BundlesFromSources_SaysWhatAKillLoses()
    {
        WorkerCommand result =
            await WorkerCommand.RunAsync("explain", "--Routes:archive:Source=Udp,Http,TcpLines", "--Bundles:Enabled=true", "--Routes:archive:Sink=Directory");

        result.ExitCode.ShouldBe(0, result.Text);
        result.Text.ShouldContain("Udp, a kill            LOSES up to");
        result.Text.ShouldContain("Http, a kill           leaves up to");
        result.Text.ShouldContain("TcpLines, a kill       LOSES up to");
        result.Text.ShouldContain("one call to Directory for up to 500 messages with one key prefix (Bundles)");
    }
}
