using System.Text;
using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Sockets.TcpLines;

/// <summary>Senders that do not send lines, over real connections: with the setting that reads them, and without it.</summary>
public sealed class TcpLinesFramingTests
{
    public static TheoryData<string> Framings => [.. Enum.GetNames<Framing>()];

    public static TheoryData<string, string, string> Misframed => new()
    {
        { nameof(Framing.OctetCounting), "{\"MessageId\":\"m\"}\n", "bad-frame" },
        { nameof(Framing.CrLf), "{\"MessageId\":\"m\"}\n{\"MessageId\":\"m\"}\n", "unterminated" },
        { nameof(Framing.Lf), "17 {\"MessageId\":\"m\"}17 {\"MessageId\":\"m\"}", "unterminated" },
    };

    public static TheoryData<string, string, string> Foreign
    {
        get
        {
            TheoryData<string, string, string> cases = [];
            foreach (string framing in Enum.GetNames<Framing>())
            {
                cases.Add(framing, "PROXY TCP4 192.0.2.1 192.0.2.2 51000 9082\r\n{}\r\n", "proxy-protocol");
                cases.Add(framing, "\r\n\r\n\0\r\nQUIT\n\u0021\u0011\0\u000cabcdefgh\u0001\u0002\u0003\u0004{}\r\n", "proxy-protocol");
                cases.Add(framing, "POST /messages HTTP/1.1\r\nHost: x\r\n\r\n{}\r\n", "http-request");
                cases.Add(framing, "\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003\nxyz\r\n", "tls-client-hello");
            }

            return cases;
        }
    }

    [Theory]
    [MemberData(nameof(Framings))]
    public async Task Read_MessagesOfEveryFraming_AreStoredAndAnsweredByTheirNumbers(string name)
    {
        Framing framing = Enum.Parse<Framing>(name);
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(
            options => (options.Framing, options.MaxLineBytes) = (framing, 1_000),
            delivery => delivery.Body.AsSpan().SequenceEqual("bad"u8) ? Settlement.DeadLetter("malformed-json", "no") : Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();
        string[] messages = ["{\"n\":1}", "bad", new string('x', 1_001), string.Empty, new string('y', 1_000), "{\"n\":6}"];
        byte[] sent = [.. messages.SelectMany(message => Frame(framing, message))];

        for (int at = 0; at < sent.Length; at += 400)
        {
            await client.SendAsync(sent.AsMemory(at, Math.Min(400, sent.Length - at)));
        }

        client.EndSending();
        HashSet<string> answers = [];
        while (await client.ReadAsync() is { } answer)
        {
            answers.Add(answer).ShouldBeTrue();
        }

        // An empty octet-counted message is no frame (RFC 6587), so it is left out there.
        answers.ShouldBe(framing == Framing.OctetCounting
            ? ["ok 1", "error 2 malformed-json", "error 3 too-long", "ok 4", "ok 5"]
            : ["ok 1", "error 2 malformed-json", "error 3 too-long", "ok 5", "ok 6"], ignoreOrder: true);
        await run.FinishAsync();
        run.DeadLetters.Messages
            .Select(letter => (letter.Reason, letter.Body.Length))
            .ShouldBe([("malformed-json", 3), ("too-long", 1_000)], ignoreOrder: true);
    }

    [Fact]
    public async Task Read_TwelveHundredOctetCountedMessages_AreAllStored()
    {
        await using TcpLinesRun run =
            await TcpLinesRun.StartAsync(options => (options.Acknowledge, options.Framing) = (false, Framing.OctetCounting), _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync(
            string.Concat(Enumerable.Range(0, 1_200).Select(n => Encoding.Latin1.GetString(Frame(Framing.OctetCounting, $"{{\"n\":{n}}}")))));
        client.EndSending();

        await TcpLinesRun.UntilAsync(() => run.Intake.Accepted == 1_200, "Not every message was accepted.");
        await run.FinishAsync();
        run.Metrics.DroppedInput.ShouldBeNull();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Read_LengthThatIsNone_EndsTheConnectionAfterTheAnswersBeforeIt(bool acknowledge)
    {
        await using TcpLinesRun run =
            await TcpLinesRun.StartAsync(options => (options.Acknowledge, options.Framing) = (acknowledge, Framing.OctetCounting), _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();

        await client.SendAsync("2 {}2 []99999999999 {}");

        if (acknowledge)
        {
            HashSet<string> answers = [(await client.ReadAsync())!, (await client.ReadAsync())!, (await client.ReadAsync())!];
            answers.ShouldBe(["ok 1", "ok 2", "error 3 bad-frame"], ignoreOrder: true);
        }

        await client.ShouldEndAsync();
        await run.FinishAsync();
        run.Intake.Accepted.ShouldBe(2);
        run.DeadLetters.Messages.Select(letter => (letter.Reason, Encoding.ASCII.GetString(letter.Body))).ShouldBe([("bad-frame", "99999999999 {}")]);
        run.Log.Entries.Where(entry => entry.Id.Id == 3454).ShouldHaveSingleItem().Text.ShouldContain("line 3 from");
        run.Log.Entries.ShouldContain(entry => entry.Id.Id == 3453 && entry.Text.Contains("bad-frame", StringComparison.Ordinal));
    }

    [Theory]
    [MemberData(nameof(Misframed))]
    public async Task Read_AnotherFraming_IsKeptAndNamedWithItsSetting(string name, string text, string reason)
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(
            options => (options.Acknowledge, options.Framing) = (false, Enum.Parse<Framing>(name)), _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync(Encoding.Latin1.GetBytes(text));
        client.EndSending();

        await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count == 0 && run.Metrics.DroppedInput is not null, "Nothing was dropped.");
        await run.FinishAsync();
        run.Intake.Accepted.ShouldBe(0);
        run.Metrics.DroppedInput.ShouldNotBeNull().ToString().ShouldBe($"1 {reason}");
        run.Metrics.Totals.Lost.ShouldBe(0, "It is kept.");
        run.Metrics.DroppedInput.Advice.ShouldContain($"Sources:TcpLines:Framing={Expected(text)}");
        DeadLetteredMessage kept = run.DeadLetters.Messages.ShouldHaveSingleItem();
        kept.Reason.ShouldBe(reason);
        kept.Description.ShouldContain(run.Metrics.DroppedInput.Advice);
        run.Log.Entries.Where(entry => entry.Id.Id == 3454).ShouldHaveSingleItem().Text.ShouldContain(run.Metrics.DroppedInput.Advice);
        Encoding.Latin1.GetString(kept.Body).ShouldBe(text);
    }

    [Theory]
    [MemberData(nameof(Foreign))]
    public async Task Read_AnotherProtocolSplitAtEveryByte_IsClosedAndNothingIsKept(string name, string text, string reason)
    {
        int[][] packets = [[], [.. Enumerable.Repeat(1, text.Length)], .. Enumerable.Range(1, 20).Select(first => (int[])[first])];
        foreach (int[] split in packets)
        {
            FakeSender sender = new(text, packets: split);
            await using TcpLinesRun run = await TcpLinesRun.StartAsync(
                options => (options.Acknowledge, options.Framing) = (false, Enum.Parse<Framing>(name)), _ => Settlement.Complete, sender);

            sender.Connect();

            await TcpLinesRun.UntilAsync(() => run.Log.Entries.Any(entry => entry.Id.Id == 3460), "The connection was not closed.");
            await run.FinishAsync();
            run.Intake.Accepted.ShouldBe(0);
            run.Metrics.DroppedInput.ShouldNotBeNull().ToString().ShouldBe($"1 {reason}");
            run.Metrics.Totals.Lost.ShouldBe(reason == "proxy-protocol" ? 1 : 0);
            run.DeadLetters.Messages.ShouldBeEmpty();
        }
    }

    [Fact]
    public async Task Drop_DeadLetterCannotBeWritten_IsLost()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.Acknowledge = false, _ => Settlement.Complete);
        run.DeadLetters.Fail(1);
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync("{}");
        client.EndSending();

        await TcpLinesRun.UntilAsync(() => run.Metrics.DroppedInput is not null && run.Source.Connections.Count == 0, "Nothing was dropped.");
        await run.FinishAsync();
        run.Metrics.Totals.Lost.ShouldBe(1);
        run.Log.Entries.Where(entry => entry.Id.Id == 3454).ShouldHaveSingleItem().Text.ShouldContain("It could not be kept");
    }

    [Fact]
    public async Task Stop_DeadLetterHangs_TheConnectionEndsWithTheTimeForClosing()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.Acknowledge = false, _ => Settlement.Complete);
        TaskCompletionSource never = new();
        run.DeadLetters.Gate = never.Task;
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync("{}\n{}");
        client.EndSending();
        await TcpLinesRun.UntilAsync(
            () => run.Intake.Accepted == 1 && run.DeadLetters.Waiting == 1, "The line was not accepted, or the rest of it is no dead letter.");
        await run.StopReceivingAsync();

        await run.Source.DrainAsync(run.Intake, new CancellationToken(canceled: true)).WaitAsync(TimeSpan.FromSeconds(30));
        await run.Source.CloseAsync(new CancellationToken(canceled: true)).WaitAsync(TimeSpan.FromSeconds(30));

        run.Source.Connections.Count.ShouldBe(0);
        run.Metrics.Totals.Lost.ShouldBe(1);
    }

    internal static byte[] Frame(Framing framing, string message)
    {
        byte[] body = Encoding.Latin1.GetBytes(message);
        return framing switch
        {
            Framing.CrLf => [.. body, (byte)'\r', (byte)'\n'],
            Framing.OctetCounting => body.Length == 0 ? [] : [.. Encoding.ASCII.GetBytes($"{body.Length} "), .. body],
            _ => [.. body, (byte)'\n'],
        };
    }

    private static Framing Expected(string text) => text.StartsWith("17", StringComparison.Ordinal) ? Framing.OctetCounting : Framing.Lf;
}
