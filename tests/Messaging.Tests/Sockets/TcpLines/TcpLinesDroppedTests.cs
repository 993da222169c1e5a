using System.Text;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Sockets.TcpLines;

/// <summary>Bytes that become no line: kept as a dead letter, counted, with the probable cause and what to do, however the connection ends.</summary>
public sealed class TcpLinesDroppedTests
{
    private const string Json = "{\"MessageId\":\"m\"}";

    public static TheoryData<string, string> OtherFramings => new()
    {
        { string.Concat(Enumerable.Repeat($"{Json.Length} {Json}", 1_200)), "count octets (RFC 6587)" },
        { $"{Json.Length} {Json}", "count octets (RFC 6587)" },
        { "3 {\n}", "Sources:TcpLines" },
        { Json, "sent no LF" },
        { $"{Json}\r{Json}\r", "sent no LF" },
        { $"{Json}\0{Json}\0", "sent no LF" },
        { "0 {}", "sent no LF" },
        { "PROXY TCP4 192.0.2.1 192.0.2.2 51000 9082", "PROXY protocol" },
    };

    [Theory]
    [MemberData(nameof(OtherFramings))]
    public async Task Read_OtherFraming_IsKeptAndCountedWithItsProbableCause(string text, string advice)
    {
        foreach (string end in (string[])["end", "reset", "silence", "stop"])
        {
            FakeSender sender = end == "reset" ? FakeSender.ThatBreaks(text) : new FakeSender(text, ends: end == "end");
            await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.Acknowledge = false, _ => Settlement.Complete, sender);
            sender.Connect();
            await sender.UntilAllReadAsync();
            if (end == "silence")
            {
                await run.PassUntilClosedAsync(TimeSpan.FromSeconds(65));
            }
            else if (end != "stop")
            {
                await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count == 0, "The connection did not end.");
            }

            await run.FinishAsync();

            DroppedInput dropped = run.Metrics.DroppedInput.ShouldNotBeNull($"After {end} nothing was dropped.");
            dropped.Reasons.ShouldBe(new Dictionary<string, long> { ["unterminated"] = 1 }, end);
            (run.Metrics.Totals.Lost, run.Metrics.Totals.Dropped).ShouldBe(text.Length > 65_536 ? (1, 1) : (0, 0), end);
            DeadLetteredMessage kept = run.DeadLetters.Messages.ShouldHaveSingleItem();
            kept.Reason.ShouldBe("unterminated");
            Encoding.UTF8.GetString(kept.Body).ShouldBe(text[(text.IndexOf('\n', StringComparison.Ordinal) + 1)..].TrimEnd('\r'));
            if (!text.Contains('\n', StringComparison.Ordinal))
            {
                dropped.Advice.ShouldContain(advice);
                run.Log.Entries.Where(entry => entry.Id.Id == 3454).ShouldHaveSingleItem().Text.ShouldContain(
                    $"unterminated, {text.Length} bytes. {dropped.Advice}");
            }
        }
    }

    [Fact]
    public async Task Read_UnterminatedJsonOnTwentyConnections_IsKeptTwentyTimes()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.Acknowledge = false, _ => Settlement.Complete);
        for (int i = 0; i < 20; i++)
        {
            await using LineClient client = await run.ConnectAsync();
            await client.SendAsync($"{{\"n\":{i}}}");
        }

        await TcpLinesRun.UntilAsync(() => run.Metrics.DroppedInput?.ToString() == "20 unterminated", "Not every line was counted.");
        await run.FinishAsync();
        run.Metrics.Totals.Lost.ShouldBe(0);
        run.DeadLetters.Messages
            .Select(letter => Encoding.UTF8.GetString(letter.Body))
            .ShouldBe(Enumerable.Range(0, 20).Select(n => $"{{\"n\":{n}}}"), ignoreOrder: true);
        run.Metrics.DroppedInput!.ToString().ShouldBe("20 unterminated");
    }

    [Theory]
    [InlineData("", "count octets")]
    [InlineData("{}\n", "Raise Sources:TcpLines:MaxLineBytes")]
    public async Task Read_TooLongLine_IsLostWithAllItsBytes(string before, string advice)
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(
            options =>
            {
                options.Acknowledge = false;
                options.MaxLineBytes = 1_000;
            },
            _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();

        await client.SendAsync(before + string.Concat(Enumerable.Repeat("100 " + new string('x', 96), 1_200)) + "\n{}\n");
        client.EndSending();

        await TcpLinesRun.UntilAsync(() => run.Metrics.DroppedInput is not null && run.Source.Connections.Count == 0, "The line was not dropped.");
        run.Metrics.DroppedInput.ShouldNotBeNull().Reasons.ShouldBe(new Dictionary<string, long> { ["too-long"] = 1 });
        run.Log.Entries.Where(entry => entry.Id.Id == 3454).ShouldHaveSingleItem().Text.ShouldContain("too-long, 120000 bytes. ");
        run.Metrics.DroppedInput.Advice.ShouldContain(advice);
        run.Metrics.Totals.Lost.ShouldBe(1, "Only its beginning is kept.");
        run.DeadLetters.Messages.ShouldHaveSingleItem().Body.Length.ShouldBe(1_000);
        await run.FinishAsync();
    }

    [Fact]
    public async Task Read_WithAcknowledgements_IsDroppedAndNotLost()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(script: _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync(Json);
        client.EndSending();

        (await client.ReadAsync()).ShouldBe("error 1 unterminated");
        await client.ShouldEndAsync();
        run.Metrics.DroppedInput.ShouldNotBeNull().ToString().ShouldBe("1 unterminated");
        (run.Metrics.Totals.Lost, run.Metrics.Totals.Dropped).ShouldBe((0, 0), "The sender knows.");
        run.DeadLetters.Messages.ShouldHaveSingleItem().Reason.ShouldBe("unterminated");
        await run.FinishAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Stop_LinesArriveAfterReadingEnded_AreLostUnlessTheSenderHasNoAnswer(bool acknowledge)
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.Acknowledge = acknowledge, _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync("{}\n");
        await TcpLinesRun.UntilAsync(() => run.Intake.Accepted == 1, "The first line was not accepted.");
        await run.StopReceivingAsync();
        await run.Source.DrainAsync(run.Intake, CancellationToken.None).WaitAsync(TimeSpan.FromSeconds(30));

        await client.SendAsync("{}\n{}\n{}\n{");
        await client.EndSendingAsync();
        await run.FinishAsync();

        run.Intake.Accepted.ShouldBe(1);
        run.Metrics.Totals.Lost.ShouldBe(acknowledge ? 0 : 3);
        run.Log.Entries.Count(entry => entry.Id.Id == 3457).ShouldBe(acknowledge ? 0 : 1);
    }

    [Fact]
    public async Task Read_BlankTail_IsNotLost()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.Acknowledge = false, _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync("{}\n \t");
        client.EndSending();

        await TcpLinesRun.UntilAsync(() => run.Intake.Accepted == 1 && run.Source.Connections.Count == 0, "The line was not accepted.");
        await run.FinishAsync();
        run.Metrics.DroppedInput.ShouldBeNull();
        run.Metrics.Totals.Lost.ShouldBe(0);
    }
}
