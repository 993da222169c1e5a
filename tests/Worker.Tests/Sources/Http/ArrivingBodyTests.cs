using Pipeline.Settlements;
using Worker.Tests.Sources.Contract;

namespace Worker.Tests.Sources.Http;

/// <summary>Bodies in pieces, slow, broken off or broken: one message, or none.</summary>
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

    [Fact]
    public async Task Post_OneByteAtATime_IsOneMessage()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => Settlement.Complete;
        await using RawConnection connection = await host.ConnectAsync("POST /messages HTTP/1.1\nHost: x\nContent-Length: 20\n\n");
        for (int i = 0; i < 20; i++)
        {
            await connection.SendAsync("x");
            await Task.Delay(2);
        }

        (await connection.ReadAsync()).Status.ShouldBe(200);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData("Content-Length: 100\n\nhalf")]
    [InlineData("Transfer-Encoding: chunked\n\n4\nhalf\n")]
    public async Task Post_TooSlow_Answers408AndTakesNothing(string rest)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.BodyTimeout = TimeSpan.FromMilliseconds(200));
        await using RawConnection connection = await host.ConnectAsync($"POST /messages HTTP/1.1\nHost: x\n{rest}");

        RawAnswer answer = await connection.ReadAsync();

        answer.Status.ShouldBe(408);
        answer.Has("Connection: close").ShouldBeTrue();
        answer.Body.ShouldContain("too-slow");
        await connection.ShouldEndAsync();
        host.Intake.Accepted.ShouldBe(0);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData("Content-Length: 100\n\nhalf", true)]
    [InlineData("Content-Length: 100\n\nhalf", false)]
    [InlineData("Transfer-Encoding: chunked\n\n4\nhalf\n", true)]
    [InlineData("Transfer-Encoding: chunked\n\n4\nhalf\n", false)]
    public async Task Post_AbortedInTheMiddle_TakesNothing(string rest, bool reset)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        await using RawConnection connection = await host.ConnectAsync($"POST /messages HTTP/1.1\nHost: x\n{rest}");
        await connection.ShouldBeQuietAsync();

        if (reset)
        {
            connection.Abort();
        }
        else
        {
            connection.ShutdownSend();
            await connection.ShouldEndAsync();
        }

        await host.Intake.ShouldBeQuietAsync();
        host.Intake.Accepted.ShouldBe(0);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData(nameof(SettlementKind.Complete))]
    [InlineData(nameof(SettlementKind.Abandon))]
    [InlineData(nameof(SettlementKind.DeadLetter))]
    public async Task Post_AbortedAfterAcceptance_IsFinishedWithItsBytes(string kind)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        await using RawConnection connection = await host.ConnectAsync("POST /messages HTTP/1.1\nHost: x\nContent-Length: 6\n\nprecio");
        Delivery delivery = await host.Intake.NextAsync();

        connection.Abort();
        await Task.Delay(100);
        host.Source.Requests.ShouldBe(1, "The request stays until its message is settled.");

        // The bytes are checked here: the pool poisons what is given back.
        await delivery.SettleAsync(kind switch
        {
            nameof(SettlementKind.Complete) => Settlement.Complete,
            nameof(SettlementKind.Abandon) => Settlement.Abandon(TimeSpan.FromSeconds(1)),
            _ => Settlement.DeadLetter("malformed-json", "No."),
        });

        if (kind == nameof(SettlementKind.DeadLetter))
        {
            host.DeadLetters.Letters.ShouldHaveSingleItem().Body.ShouldBe("precio"u8.ToArray());
        }

        await host.FinishAsync();
    }

    [Theory]
    [InlineData("application/json")]
    [InlineData("application/x-ndjson")]
    public async Task Post_BrokenChunk_Answers400AndTakesNothing(string type)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        await using RawConnection connection = await host.ConnectAsync(
            $"POST /messages HTTP/1.1\nHost: x\nContent-Type: {type}\nTransfer-Encoding: chunked\n\n4\nhalf\nzz\n");

        RawAnswer answer = await connection.ReadAsync();

        answer.Status.ShouldBe(400);
        answer.Body.ShouldContain("bad-request");
        host.Intake.Accepted.ShouldBe(0);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_ManyBodiesArrivingSlowly_AreBoundedInMemory()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options =>
        {
            options.MaxMessageBytes = 1_000;
            options.MaxReceivingBytes = 2_500;
        });
        List<RawConnection> slow = [];
        for (int i = 0; i < 2; i++)
        {
            slow.Add(await host.ConnectAsync("POST /messages HTTP/1.1\nHost: x\nContent-Length: 1000\n\nx"));
            await slow[^1].ShouldBeQuietAsync();
        }

        await using RawConnection third = await host.ConnectAsync("POST /messages HTTP/1.1\nHost: x\nContent-Length: 1000\n\nx");

        (await third.ReadAsync()).Status.ShouldBe(429);
        foreach (RawConnection connection in slow)
        {
            connection.Abort();
        }

        await host.FinishAsync();
    }
}
