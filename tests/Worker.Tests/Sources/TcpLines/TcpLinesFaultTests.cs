using System.Text;
using Pipeline.Settlements;
using Worker.Sources.TcpLines;
using Worker.Tests.Sources.Contract;

namespace Worker.Tests.Sources.TcpLines;

/// <summary>What senders do wrong, by accident or on purpose.</summary>
public sealed class TcpLinesFaultTests
{
    [Fact]
    public async Task Read_NothingIsSent_EndsAtTheFirstLinesTime()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync();
        await using LineClient client = await run.ConnectAsync();
        await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count == 1, "The connection was not accepted.");
        run.Time.Advance(TimeSpan.FromSeconds(29));
        await client.ShouldBeQuietAsync();

        run.Time.Advance(TimeSpan.FromSeconds(2));

        await client.ShouldEndAsync();
        run.Log.Entries.ShouldContain(entry => entry.Id.Id == 3453 && entry.Text.Contains("first-line-timeout", StringComparison.Ordinal));
        await run.FinishAsync();
    }

    [Fact]
    public async Task Read_OneByteEveryTenSeconds_EndsAtTheFirstLinesTime()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync();
        await using LineClient client = await run.ConnectAsync();
        await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count == 1, "The connection was not accepted.");
        for (int seconds = 0; seconds < 30; seconds += 10)
        {
            await client.SendAsync("x");
            await client.ShouldBeQuietAsync();
            run.Time.Advance(TimeSpan.FromSeconds(10));
        }

        run.Time.Advance(TimeSpan.FromSeconds(1));

        await client.ShouldEndAsync();
        run.Intake.Accepted.ShouldBe(0);
        await run.FinishAsync();
    }

    [Fact]
    public async Task Read_SlowBytesAfterAGoodLine_EndsAtTheIdleTime()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.IdleTimeout = TimeSpan.FromSeconds(20), _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync("{}\n");
        (await client.ReadAsync()).ShouldBe("ok 1");
        run.Time.Advance(TimeSpan.FromSeconds(10));
        await client.SendAsync("x");
        await client.ShouldBeQuietAsync();

        run.Time.Advance(TimeSpan.FromSeconds(11));

        await client.ShouldEndAsync();
        run.Log.Entries.ShouldContain(entry => entry.Id.Id == 3453 && entry.Text.Contains("idle-timeout", StringComparison.Ordinal));
        await run.FinishAsync();
    }

    [Theory]
    [InlineData("POST /messages HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n{}\n")]
    [InlineData("\r\nGET / HTTP/1.0\n{}\n")]
    [InlineData("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n{}\n")]
    public async Task Read_AnHttpRequest_IsClosedAndStoresNothing(string request)
    {
        foreach (bool acknowledge in new[] { true, false })
        {
            await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.Acknowledge = acknowledge, _ => Settlement.Complete);
            await using LineClient client = await run.ConnectAsync();

            await client.SendAsync(request);

            await client.ShouldEndAsync();
            run.Intake.Accepted.ShouldBe(0);
            run.Log.Entries.ShouldContain(entry => entry.Id.Id == 3453 && entry.Text.Contains("http-request", StringComparison.Ordinal));
            await run.FinishAsync();
        }
    }

    [Fact]
    public async Task Read_AnHttpRequestSplitAtEveryByte_IsClosedAndStoresNothing()
    {
        byte[] request = "POST /m HTTP/1.1\r\n\r\n{}\n"u8.ToArray();
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(script: _ => Settlement.Complete);
        for (int split = 1; split < request.Length; split++)
        {
            await using LineClient client = await run.ConnectAsync();
            await client.SendAsync(request.AsMemory(0, split));
            try
            {
                await client.SendAsync(request.AsMemory(split));
            }
            catch (IOException)
            {
                // Closed already.
            }

            await client.ShouldEndAsync();
        }

        run.Intake.Accepted.ShouldBe(0);
        await run.FinishAsync();
    }

    [Fact]
    public async Task Read_AnHttpRequestLineAboveTheLimit_IsClosedAndStoresNothing()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.MaxLineBytes = 100, _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();

        await client.SendAsync($"POST /{new string('x', 200)} HTTP/1.1\r\n\r\n{{}}\n");

        await client.ShouldEndAsync();
        run.Intake.Accepted.ShouldBe(0);
        await run.FinishAsync();
    }

    [Fact]
    public async Task Read_AnHttpRequestLineWithoutItsEnd_IsNoMessage()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.UnterminatedTail = TailRule.Accept, _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();

        await client.SendAsync("GET / HTTP/1.1");
        client.EndSending();

        await client.ShouldEndAsync();
        run.Intake.Accepted.ShouldBe(0);
        await run.FinishAsync();
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("GET it")]
    [InlineData("get / HTTP/1.1")]
    [InlineData("{} HTTP/1.1")]
    [InlineData("GET / HTTP/1.1x")]
    [InlineData("GET /HTTP/1.1")]
    public async Task Read_AFirstLineThatIsNoRequest_IsAMessage(string line)
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(script: _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();

        // The second line may be anything.
        await client.SendAsync($"{line}\nGET / HTTP/1.1\n");

        (await client.ReadAsync()).ShouldNotBeNull();
        (await client.ReadAsync()).ShouldNotBeNull();
        run.Intake.Accepted.ShouldBe(2);
        await run.FinishAsync();
    }

    [Fact]
    public async Task Read_BlankLines_KeepTheConnectionAndAreNoMessages()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(script: _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();
        for (int i = 0; i < 5; i++)
        {
            int lines = i + 1;
            await client.SendAsync(i % 2 == 0 ? "\n" : " \r\n");
            await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count == 1 && run.Source.Connections[0].Lines == lines, "The line was not read.");
            await client.ShouldBeQuietAsync();
            run.Time.Advance(TimeSpan.FromSeconds(25));
        }

        await client.SendAsync("{}\n");

        (await client.ReadAsync()).ShouldBe("ok 6", "Blank lines are counted and not answered.");
        run.Intake.Accepted.ShouldBe(1);
        await run.FinishAsync();
    }

    [Fact]
    public async Task Read_LineInWork_IsNoIdleTime()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync();
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync("{}\n");
        Delivery delivery = await run.Intake.NextAsync();
        run.Time.Advance(TimeSpan.FromMinutes(10));
        await client.ShouldBeQuietAsync();

        await delivery.SettleAsync(Settlement.Complete);

        (await client.ReadAsync()).ShouldBe("ok 1");
        await run.FinishAsync();
    }

    [Fact]
    public async Task Read_WorkerIsBusy_IsNoIdleTime()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.Acknowledge = false);
        await using LineClient client = await run.ConnectAsync();
        run.Intake.Pause();
        await client.SendAsync("{}\n");
        await run.Intake.ShouldBeQuietAsync();
        run.Time.Advance(TimeSpan.FromMinutes(10));
        await client.ShouldBeQuietAsync();

        run.Intake.Resume();

        await (await run.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await client.ShouldBeQuietAsync();
        await run.FinishAsync();
    }

    [Fact]
    public async Task Accept_BeyondTheLimits_IsRefusedAndOthersGoOn()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.MaxConnectionsPerAddress = 4, _ => Settlement.Complete);
        List<LineClient> clients = [];
        for (int i = 0; i < 4; i++)
        {
            clients.Add(await run.ConnectAsync());
        }

        await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count == 4, "The connections were not accepted.");
        await using LineClient refused = await run.ConnectAsync();

        (await refused.ReadAsync()).ShouldBe("error 0 too-many-connections");
        await refused.ShouldEndAsync();
        run.Source.Metrics.Refused.ShouldBe(1);
        run.Log.Entries.ShouldContain(entry => entry.Id.Id == 3452 && entry.Text.Contains("address-limit", StringComparison.Ordinal));
        await clients[0].SendAsync("{}\n");
        (await clients[0].ReadAsync()).ShouldBe("ok 1");
        await clients[1].DisposeAsync();
        await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count == 3, "The ended connection was still counted.");
        await using LineClient next = await run.ConnectAsync();
        await next.SendAsync("{}\n");
        (await next.ReadAsync()).ShouldBe("ok 1");
        foreach (LineClient client in clients)
        {
            await client.DisposeAsync();
        }

        await run.FinishAsync();
    }

    [Fact]
    public async Task Accept_ManyIdleConnections_StayWithinTheLimitAndEndInTime()
    {
        // 10,000 would need more descriptors than a test may take for both ends; the limit is what is tested.
        const int Connections = 600;
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options =>
        {
            options.MaxConnections = 100;
            options.MaxConnectionsPerAddress = 1_000;
        });
        List<LineClient> clients = [];
        for (int i = 0; i < Connections; i++)
        {
            clients.Add(await run.ConnectAsync());
        }

        await TcpLinesRun.UntilAsync(() => run.Source.Metrics.Refused == Connections - 100, "The connections beyond the limit were not refused.");
        run.Source.Connections.Count.ShouldBe(100);
        run.Log.Entries.Count(entry => entry.Id.Id == 3452).ShouldBe(1, "A flood of connections is no flood of log lines.");

        run.Time.Advance(TimeSpan.FromSeconds(31));

        await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count == 0, "The idle connections were not closed.");
        foreach (LineClient client in clients)
        {
            await client.DisposeAsync();
        }

        await run.FinishAsync();
    }

    [Fact]
    public async Task Read_TooLongLine_IsAnsweredAndSkippedToItsEnd()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.MaxLineBytes = 1_000, _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();
        byte[] piece = Encoding.ASCII.GetBytes(new string('x', 100_000));
        for (int i = 0; i < 200; i++)
        {
            await client.SendAsync(piece);
        }

        await client.SendAsync("\n{}\n");

        (await client.ReadAsync()).ShouldBe("error 1 too-long");
        (await client.ReadAsync()).ShouldBe("ok 2");
        run.Source.Metrics.TooLong.ShouldBe(1);
        run.Intake.Accepted.ShouldBe(1);
        await run.FinishAsync();
        run.Log.Entries.Where(entry => entry.Id.Id == 3459).ShouldHaveSingleItem().Text.ShouldContain("1 line(s) were dropped as too long and 0 without an end");
    }

    [Fact]
    public async Task Read_LineOfTheLimit_IsAMessageAndOneByteMoreIsNot()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.MaxLineBytes = 1_000, _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();

        await client.SendAsync($"{new string('a', 1_000)}\n{new string('b', 1_000)}\r\n{new string('c', 1_001)}\n");

        string?[] answers = [await client.ReadAsync(), await client.ReadAsync(), await client.ReadAsync()];
        answers.Order(StringComparer.Ordinal).ShouldBe(["error 3 too-long", "ok 1", "ok 2"]);
        await run.FinishAsync();
    }

    [Theory]
    [InlineData(nameof(TailRule.Drop))]
    [InlineData(nameof(TailRule.Accept))]
    public async Task Read_ResetWithinALine_TheLineIsNoMessage(string tail)
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.UnterminatedTail = Enum.Parse<TailRule>(tail));
        LineClient client = await run.ConnectAsync();
        await client.SendAsync("{\"a\":1}\n{\"b\":");
        Delivery whole = await run.Intake.NextAsync();

        client.Reset();

        await TcpLinesRun.UntilAsync(() => run.Source.Metrics.Unterminated == 1, "The broken line was not counted.");
        whole.Body.ShouldBe("{\"a\":1}"u8.ToArray());
        await whole.SettleAsync(Settlement.Complete);
        await run.FinishAsync();
        run.Intake.Accepted.ShouldBe(1);
    }

    [Fact]
    public async Task Read_EndWithinALine_IsAnsweredAsUnterminated()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(script: _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync("{\"a\":1}\n{\"b\":2}");

        client.EndSending();

        string?[] answers = [await client.ReadAsync(), await client.ReadAsync()];
        answers.Order(StringComparer.Ordinal).ShouldBe(["error 2 unterminated", "ok 1"]);
        await client.ShouldEndAsync();
        run.Source.Metrics.Unterminated.ShouldBe(1);
        await run.FinishAsync();
        run.Intake.Accepted.ShouldBe(1);
    }

    [Fact]
    public async Task Read_EndWithinALineThatIsAccepted_IsTheLastMessage()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.UnterminatedTail = TailRule.Accept, _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync("{\"a\":1}\n{\"b\":2}");

        client.EndSending();

        string?[] answers = [await client.ReadAsync(), await client.ReadAsync()];
        answers.Order(StringComparer.Ordinal).ShouldBe(["ok 1", "ok 2"]);
        await client.ShouldEndAsync();
        await run.FinishAsync();
        run.Source.Metrics.Unterminated.ShouldBe(0);
    }

    [Fact]
    public async Task Read_HalfClosed_LinesInWorkAreStillAnswered()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync();
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync("{\"a\":1}\n{\"b\":2}\n");
        Delivery first = await run.Intake.NextAsync();
        Delivery second = await run.Intake.NextAsync();

        client.EndSending();
        await client.ShouldBeQuietAsync();
        await second.SettleAsync(Settlement.Complete);
        (await client.ReadAsync()).ShouldBe("ok 2", "Answers come as lines are settled, not in the lines' order.");
        await first.SettleAsync(Settlement.DeadLetter("malformed-json", "No JSON."));

        (await client.ReadAsync()).ShouldBe("error 1 malformed-json");
        await client.ShouldEndAsync();
        run.DeadLetters.Letters.Single().Reason.ShouldBe("malformed-json");
        await run.FinishAsync();
    }

    [Fact]
    public async Task Read_NulAndCarriageReturns_BelongToTheLine()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync();
        await using LineClient client = await run.ConnectAsync();

        await client.SendAsync("a\0b\rc\r\n\0\n");

        Delivery first = await run.Intake.NextAsync();
        Delivery second = await run.Intake.NextAsync();
        first.Body.ShouldBe("a\0b\rc"u8.ToArray());
        second.Body.ShouldBe("\0"u8.ToArray());
        await first.SettleAsync(Settlement.Complete);
        await second.SettleAsync(Settlement.Complete);
        await run.FinishAsync();
    }

    [Fact]
    public async Task Read_CrAndLfInTwoPackets_EndOneLine()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(script: _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync("{}\r");
        await client.ShouldBeQuietAsync();

        await client.SendAsync("\n{}\r\n");

        string?[] answers = [await client.ReadAsync(), await client.ReadAsync()];
        answers.Order(StringComparer.Ordinal).ShouldBe(["ok 1", "ok 2"]);
        run.Intake.Accepted.ShouldBe(2);
        await run.FinishAsync();
    }

    [Fact]
    public async Task Answer_SenderDoesNotRead_ReadingStopsAndTheConnectionEnds()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(script: _ => Settlement.Complete);
        LineClient client = await run.ConnectAsync();
        using CancellationTokenSource enough = new();
        byte[] lines = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat("x\n", 50_000)));
        Task sending = Task.Run(async () =>
        {
            try
            {
                while (!enough.IsCancellationRequested)
                {
                    await client.SendAsync(lines);
                }
            }
            catch (IOException)
            {
                // The worker ended the connection.
            }
        });
        await TcpLinesRun.UntilAsync(
            () =>
            {
                run.Time.Advance(TimeSpan.FromSeconds(1));
                return run.Source.Connections.Count == 0;
            },
            "The connection that does not read its answers was not ended.");
        run.Log.Entries.ShouldContain(entry => entry.Id.Id == 3453 && entry.Text.Contains("ack-timeout", StringComparison.Ordinal));
        await enough.CancelAsync();
        await sending;
        client.Reset();
        await run.FinishAsync();
    }
}
