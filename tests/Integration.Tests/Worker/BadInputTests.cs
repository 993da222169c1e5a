using System.Globalization;
using System.Net;
using System.Text;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Integration.Tests.Processes;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>
/// Poison among good messages over every source (fault table, rows 14 and 15): one dead letter with reason and bytes, one log
/// line, and the good messages are stored.
/// </summary>
public sealed partial class BadInputTests(AwsServer aws, RealS3 realS3)
{
    [Theory]
    [InlineData(SinkKind.Directory)]
    [InlineData(SinkKind.RealS3)]
    public async Task Http_BadMessagesBetweenGoodOnes_DeadLettersEachWithItsReason(SinkKind kind)
    {
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(kind, aws, realS3);
        await using RunningWorker worker = await RunningWorker.StartAsync([.. sink.Arguments, "--Routes:archive:Source=Http"]);
        BadMessage[] bad = [.. BadMessage.All, .. BadMessage.Bytes];
        ArchiveMessage[] good = ArchiveMessage.CreateMany("between", bad.Length);

        for (int i = 0; i < bad.Length; i++)
        {
            (HttpStatusCode status, JsonNode answer) = await worker.PostAsync(bad[i].Body);
            status.ShouldBe(HttpStatusCode.UnprocessableEntity);
            answer["status"]!.GetValue<string>().ShouldBe("dead-lettered");
            answer["reason"]!.GetValue<string>().ShouldBe(bad[i].Reason);
            (await worker.PostAsync(good[i].Body)).Status.ShouldBe(HttpStatusCode.OK);
        }

        (await worker.HealthAsync("live")).Status.ShouldBe(HttpStatusCode.OK);
        (await worker.StopAsync()).ShouldBe(0);
        await sink.ShouldHoldExactlyAsync(good);
        DeadLetterFolder.ShouldHoldExactly(Path.Combine(worker.Process.WorkingDirectory, "dead-letters"), bad);
        ShouldHaveOneLineEach(worker.Process.Output, bad);
    }

    [Theory]
    [InlineData(SinkKind.Directory)]
    [InlineData(SinkKind.RealS3)]
    public async Task Sqs_BadMessagesBetweenGoodOnes_SendsEachToTheDeadLetterQueueWithItsReason(SinkKind kind)
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(kind, aws, realS3);
        await using RunningWorker worker =
            await RunningWorker.StartAsync([.. RunningWorker.SqsArguments(endpoint, queue), .. sink.Arguments, "--Stages:MaxMessageBytes=201KiB"]);
        BadMessage[] bad = [.. BadMessage.All, new BadMessage("too-large", ArchiveMessage.Create("large", 202 << 10).Body)];
        ArchiveMessage[] good = ArchiveMessage.CreateMany("between", 2 * bad.Length);

        for (int i = 0; i < bad.Length; i++)
        {
            await queue.SendAsync(good[2 * i].Text);
            await queue.SendAsync(Encoding.UTF8.GetString(bad[i].Body));
            await queue.SendAsync(good[(2 * i) + 1].Text);
        }

        await queue.WaitForCountAsync(counts => counts.Total == 0);
        (await worker.HealthAsync()).Status.ShouldBe(HttpStatusCode.OK);
        (await worker.StopAsync()).ShouldBe(0);
        await sink.ShouldHoldExactlyAsync(good);
        (await deadLetters.DrainAsync()).Select(letter => $"{letter.Attributes["DeadLetterReason"]} {letter.Body}")
            .ShouldBe(bad.Select(message => $"{message.Reason} {Encoding.UTF8.GetString(message.Body)}"), ignoreOrder: true);
        ShouldHaveOneLineEach(worker.Process.Output, bad);
    }

    // The first message of each reason is logged in full, the others are counted (event 5008).
    private static void ShouldHaveOneLineEach(CapturedOutput output, IReadOnlyCollection<BadMessage> bad)
    {
        CapturedLine[] lines = [.. output.Snapshot().Where(line => line.Text.Contains("is dead-lettered as", StringComparison.Ordinal))];
        lines
            .Select(line => line.Text.Split("is dead-lettered as ")[1].Split(' ')[0])
            .ShouldBe(bad.Select(message => message.Reason).Distinct(StringComparer.Ordinal), ignoreOrder: true);
        long more = output
            .Snapshot()
            .Select(line => More.Match(line.Text))
            .Where(match => match.Success)
            .Sum(match => long.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture));
        (lines.Length + more).ShouldBe(bad.Count);
        output.Snapshot().ShouldAllBe(line => !line.Text.Contains("   at ", StringComparison.Ordinal));
    }

    [GeneratedRegex(@"(\d+) more message\(s\) of \w+ dead-lettered as ")]
    private static partial Regex More { get; }
}
