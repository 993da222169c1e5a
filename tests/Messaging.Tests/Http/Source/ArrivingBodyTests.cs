using Microsoft.Extensions.Logging;
using Quayside.Messaging.Http.Source;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Http.Source;

/// <summary>Bodies in pieces, slow, aborted or malformed: one message, or none.</summary>
public sealed class ArrivingBodyTests
{
    [Fact]
    public async Task Post_ChunkedInAnyPieces_IsOneMessage()
    {
        byte[] body = [.. Enumerable.Range(0, 40).Select(i => (byte)i)];
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        await using RawConnection connection = await host.ConnectAsync(string.Empty);
        for (int split = 1; split < body.Length; split++)
        {
            await connection.SendAsync("POST /messages HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n");
            await connection.SendChunkAsync(body.AsMemory(0, split));
            await connection.SendChunkAsync(body.AsMemory(split));
            await connection.SendLastChunkAsync();

            Delivery delivery = await host.Intake.NextAsync();

            delivery.Body.ShouldBe(body);
            await delivery.SettleAsync(Settlement.Complete);
            (await connection.ReadAsync()).Status.ShouldBe(200);
        }

        await host.FinishAsync();
    }

    [Theory]
    [InlineData("Content-Length: 100\n\nhalf")]
    [InlineData("Transfer-Encoding: chunked\n\n4\nhalf\n")]
    public async Task Post_TooSlow_Answers408AndAcceptsNothing(string rest)
    {
        ManualTimeProvider time = new();
        TimeSpan limit = TimeSpan.FromSeconds(30);
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.BodyTimeout = limit, time: time);
        await using RawConnection connection = await host.ConnectAsync($"POST /messages HTTP/1.1\nHost: x\n{rest}");
        await host.UntilTakenAsync(4);
        await time.WaitForTimersAsync(1);
        time.Advance(limit);

        RawAnswer answer = await connection.ReadAsync();

        answer.Status.ShouldBe(408);
        answer.Has("Connection: close").ShouldBeTrue();
        answer.Body.ShouldContain("too-slow");
        await connection.ShouldEndAsync();
        host.Intake.Accepted.ShouldBe(0);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData("application/json", "Content-Length: 100\n\nhalf", false)]
    [InlineData("application/json", "Content-Length: 100\n\nhalf", true)]
    [InlineData("application/json", "Transfer-Encoding: chunked\n\n4\nhalf\n", false)]
    [InlineData("application/x-ndjson", "Content-Length: 100\n\nhalf", false)]
    [InlineData("application/x-ndjson", "Content-Length: 100\n\nhalf", true)]
    [InlineData("application/x-ndjson", "Transfer-Encoding: chunked\n\n4\nhalf\n", false)]
    public async Task Post_RefusedWhileItsBodyIsAwaited_TheServerLogsNoWarning(string type, string rest, bool isStop)
    {
        ManualTimeProvider time = new();
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(time: time);
        await using RawConnection connection = await host.ConnectAsync($"POST /messages HTTP/1.1\nHost: x\nContent-Type: {type}\n{rest}");
        await time.WaitForTimersAsync(1);
        if (isStop)
        {
            await host.StopReceivingAsync();
        }
        else
        {
            time.Advance(TimeSpan.FromSeconds(30));
        }

        (await connection.ReadAsync()).Status.ShouldBe(isStop ? 503 : 408);

        // The server reads the rest of the body, and closes the connection when the caller does.
        connection.ShutdownSend();
        await connection.ShouldEndAsync();
        host.ServerLog.Entries.Where(entry => entry.Level >= LogLevel.Warning).ShouldBeEmpty();
        await host.FinishAsync();
    }

    [Theory]
    [InlineData(nameof(SettlementKind.Complete))]
    [InlineData(nameof(SettlementKind.Abandon))]
    [InlineData(nameof(SettlementKind.DeadLetter))]
    public async Task Post_AbortedAfterAcceptance_IsSettledWithItsBytes(string kind)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        await using RawConnection connection = await host.ConnectAsync("POST /messages HTTP/1.1\nHost: x\nContent-Length: 6\n\nprecio");
        Delivery delivery = await host.Intake.NextAsync();

        connection.Abort();
        await host.UntilLeftAsync();
        host.Source.Requests.ShouldBe(1, "The request stays until its message is settled.");

        // The settlement checks the bytes: the pool overwrites returned buffers.
        await delivery.SettleAsync(kind switch
        {
            nameof(SettlementKind.Complete) => Settlement.Complete,
            nameof(SettlementKind.Abandon) => Settlement.Abandon(TimeSpan.FromSeconds(1)),
            _ => Settlement.DeadLetter("malformed-json", "No."),
        });

        if (kind == nameof(SettlementKind.DeadLetter))
        {
            host.DeadLetters.Messages.ShouldHaveSingleItem().Body.ShouldBe("precio"u8.ToArray());
        }

        await host.FinishAsync();
    }

    [Theory]
    [InlineData("application/json")]
    [InlineData("application/x-ndjson")]
    public async Task Post_BelowTheMinimumRate_Answers408(string type)
    {
        ManualTimeProvider time = new();
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.BodyTimeout = TimeSpan.FromHours(1), time: time);
        await using RawConnection connection = await host.ConnectAsync($"POST /messages HTTP/1.1\nHost: x\nContent-Type: {type}\nContent-Length: 10000\n\n");
        await time.WaitForTimersAsync(1);

        // 1,279 bytes in 5 s are a byte too few for 256 per second.
        await SendAsync(host, time, connection, 1_279, after: TimeSpan.FromSeconds(4));
        time.Advance(TimeSpan.FromSeconds(1));

        RawAnswer answer = await connection.ReadAsync();
        answer.Status.ShouldBe(408);
        answer.Body.ShouldContain("MinBodyRate");
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_AtTheMinimumRate_IsStored()
    {
        ManualTimeProvider time = new();
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.BodyTimeout = TimeSpan.FromHours(1), time: time);
        host.Intake.Script = _ => Settlement.Complete;
        await using RawConnection connection = await host.ConnectAsync("POST /messages HTTP/1.1\nHost: x\nContent-Length: 10240\n\n");
        await time.WaitForTimersAsync(1);

        for (int i = 0; i < 39; i++)
        {
            await SendAsync(host, time, connection, 256, after: TimeSpan.FromSeconds(Math.Min(i, 1)));
        }

        await connection.SendAsync(new byte[256]);
        (await connection.ReadAsync()).Status.ShouldBe(200);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_BurstThenSilence_Answers408AfterTheNextWindow()
    {
        ManualTimeProvider time = new();
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.BodyTimeout = TimeSpan.FromHours(1), time: time);
        await using RawConnection connection = await host.ConnectAsync("POST /messages HTTP/1.1\nHost: x\nContent-Length: 1000000\n\n");
        await time.WaitForTimersAsync(1);
        await SendAsync(host, time, connection, 900_000, after: TimeSpan.Zero);

        time.Advance(RequestBody.RateWindow * 2);

        (await connection.ReadAsync()).Status.ShouldBe(408);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_ManyAnnounceMuchAndSendLittle_OthersAreStored()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options =>
        {
            options.MaxMessageBytes = 1 << 20;
            options.MaxReceivingBytes = 1 << 20;
        }, time: new ManualTimeProvider());
        host.Intake.Script = _ => Settlement.Complete;
        List<RawConnection> slow = [];
        for (int i = 0; i < 64; i++)
        {
            slow.Add(await host.ConnectAsync("POST /messages HTTP/1.1\nHost: x\nContent-Length: 1048576\n\nx"));
        }

        await host.UntilTakenAsync(64);
        using HttpResponseMessage response = await host.Client.PostAsync("/messages", new ByteArrayContent(new byte[100_000]));

        response.StatusCode.ShouldBe(System.Net.HttpStatusCode.OK);
        foreach (RawConnection connection in slow)
        {
            connection.Abort();
        }

        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_ManyBodiesArrivingSlowly_AreBoundedInMemory()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options =>
        {
            options.MaxMessageBytes = 1_000;
            options.MaxReceivingBytes = 2_500;
        }, time: new ManualTimeProvider());
        List<RawConnection> slow = [];
        for (int i = 1; i <= 2; i++)
        {
            slow.Add(await host.ConnectAsync("POST /messages HTTP/1.1\nHost: x\nContent-Length: 1000\n\n"));
            await slow[^1].SendAsync(new byte[900]);
            await host.UntilTakenAsync(i * 900);
        }

        await using RawConnection third = await host.ConnectAsync("POST /messages HTTP/1.1\nHost: x\nContent-Length: 1000\n\n");
        await third.SendAsync(new byte[900]);

        (await third.ReadAsync()).Status.ShouldBe(429);
        foreach (RawConnection connection in slow)
        {
            connection.Abort();
        }

        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_BodiesEndInEveryWayAtRandom_TheBudgetIsWholeAtRest()
    {
        const int Budget = 5_000;
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options =>
        {
            options.MaxMessageBytes = Budget / 2;
            options.MaxReceivingBytes = Budget;
        });
        host.Intake.Script = _ => Settlement.Complete;

        await Task.WhenAll(Enumerable.Range(0, 8).Select(number => Task.Run(() => SendAtRandomAsync(new Random(number))))).WaitAsync(TimeSpan.FromMinutes(2));

        await host.UntilTakenAsync(0);
        List<RawConnection> arriving = [];
        for (int i = 1; i <= 2; i++)
        {
            arriving.Add(await host.ConnectAsync($"POST /messages HTTP/1.1\nHost: x\nContent-Length: {Budget / 2}\n\n"));
            await arriving[^1].SendAsync(new byte[(Budget / 2) - 1]);
            await host.UntilTakenAsync(i * ((Budget / 2) - 1));
        }

        foreach (RawConnection connection in arriving)
        {
            await connection.SendAsync("x");
            (await connection.ReadAsync()).Status.ShouldBe(200);
            await connection.DisposeAsync();
        }

        await host.FinishAsync();

        async Task SendAtRandomAsync(Random random)
        {
            for (int round = 0; round < 25; round++)
            {
                int length = random.Next(1, Budget / 2);
                bool isChunked = random.Next(2) == 0;
                await using RawConnection connection = await host.ConnectAsync(
                    $"POST /messages HTTP/1.1\nHost: x\n{(isChunked ? "Transfer-Encoding: chunked" : $"Content-Length: {length}")}\n\n");
                try
                {
                    byte[] part = new byte[random.Next(1, length + 1)];
                    await (isChunked ? connection.SendChunkAsync(part) : connection.SendAsync(part));
                    switch (random.Next(4))
                    {
                        case 0:
                            connection.Abort();
                            break;
                        case 1:
                            connection.ShutdownSend();
                            break;
                        case 2 when isChunked:
                            await connection.SendAsync("no chunk\n\n");
                            await connection.ReadToEndAsync();
                            break;
                        default:
                            await (isChunked ? connection.SendLastChunkAsync() : connection.SendAsync(new byte[length - part.Length]));
                            (await connection.ReadAsync()).Status.ShouldBeOneOf(200, 413, 429);
                            break;
                    }
                }
                catch (System.Net.Sockets.SocketException)
                {
                    // The worker has closed the connection.
                }
            }
        }
    }

    /// <summary>Moves the clock, sends bytes, and returns once the worker has read them and waits for more.</summary>
    private static async Task SendAsync(HttpSourceHost host, ManualTimeProvider time, RawConnection connection, int bytes, TimeSpan after)
    {
        time.Advance(after);
        long taken = host.Source.Receiving.Taken;
        await connection.SendAsync(new byte[bytes]);
        await host.UntilTakenAsync(taken + bytes);
        await time.WaitForTimersAsync(1);
    }
}
