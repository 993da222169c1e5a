using System.Text;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Sockets.TcpLines;

/// <summary>When a connection is closed or refused: first-line timeout, idle timeout, unread answers, connection limits.</summary>
public sealed class TcpLinesTimeoutTests
{
    [Fact]
    public async Task Read_NothingIsSent_EndsAtTheFirstLinesTime()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(script: _ => Settlement.Complete);
        await using LineClient client = await run.ConnectAsync();
        await using LineClient other = await run.ConnectAsync();
        await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count == 2, "The connections were not accepted.");
        run.Time.Advance(TimeSpan.FromSeconds(29));
        await other.SendAsync("{}\n");
        (await other.ReadAsync()).ShouldBe("ok 1", "The time has not ended.");

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
        DateTimeOffset accepted = run.Time.GetUtcNow();
        await client.SendAsync("x");
        run.Time.Advance(TimeSpan.FromSeconds(10));
        await client.SendAsync("x");
        run.Time.Advance(TimeSpan.FromSeconds(10));
        await client.SendAsync("x");

        await run.PassUntilClosedAsync(TimeSpan.FromSeconds(19));

        (run.Time.GetUtcNow() - accepted).ShouldBeGreaterThan(TimeSpan.FromSeconds(30));
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

        for (int seconds = 0; seconds < 60 && run.Source.Connections.Count > 0; seconds += 10)
        {
            await run.PassAsync(TimeSpan.FromSeconds(10));
            await client.TrySendAsync("x");
        }

        await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count == 0, "The slow bytes kept the connection open.");
        await client.ShouldEndAsync();
        run.Log.Entries.ShouldContain(entry => entry.Id.Id == 3453 && entry.Text.Contains("idle-timeout", StringComparison.Ordinal));
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
            run.Time.Advance(TimeSpan.FromSeconds(25));
        }

        await client.SendAsync("{}\n");

        (await client.ReadAsync()).ShouldBe("ok 6", "Blank lines are counted and not answered.");
        run.Intake.Accepted.ShouldBe(1);
        await run.FinishAsync();
    }

    [Fact]
    public async Task Read_LineInFlight_IsNoIdleTime()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync();
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync("{}\n");
        Delivery delivery = await run.Intake.NextAsync();
        run.Time.Advance(TimeSpan.FromMinutes(10));

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
        await run.Intake.UntilReservingAsync();
        run.Time.Advance(TimeSpan.FromMinutes(10));

        run.Intake.Resume();

        await (await run.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await client.SendAsync("{}\n");
        await (await run.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await run.FinishAsync();
        await client.ShouldEndAsync();
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
        // 10,000 connections would need more descriptors than a test may use for both ends; a lower limit tests the same code.
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
    public async Task Stop_AnswersAreNotRead_TheConnectionEndsAfterTheLinger()
    {
        FakeSender sender = new("{}\n");
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.IdleTimeout = TimeSpan.FromHours(24), _ => Settlement.Complete, sender);
        sender.Connect();
        await sender.NextWriteAsync();
        await run.StopReceivingAsync();
        await run.Source.DrainAsync(run.Intake, CancellationToken.None).WaitAsync(TimeSpan.FromSeconds(60));
        Task closing = run.Source.CloseAsync(CancellationToken.None);
        run.Time.Advance(TimeSpan.FromSeconds(1));
        closing.IsCompleted.ShouldBeFalse("The sender has time to read its answer.");

        run.Time.Advance(TimeSpan.FromSeconds(2));

        await closing.WaitAsync(TimeSpan.FromSeconds(60));
        run.Log.Entries.ShouldContain(entry => entry.Id.Id == 3453 && entry.Text.Contains("ack-timeout", StringComparison.Ordinal));
        await run.FinishAsync();
    }

    [Fact]
    public async Task Answer_SenderDoesNotRead_ReadingStopsAndTheConnectionEnds()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(script: _ => Settlement.Complete);
        LineClient client = await run.ConnectAsync(receiveBuffer: 4_096);
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
                // The worker closed the connection.
            }
        });
        // Before the worker has accepted it there is no connection, too.
        await TcpLinesRun.UntilAsync(() => run.Source.Connections.Any(connection => connection.Lines > 0), "No line arrived.");
        await TcpLinesRun.UntilAsync(
            () =>
            {
                run.Time.Advance(TimeSpan.FromMilliseconds(250));
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
