using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Sockets.TcpLines;

/// <summary>HTTP requests to the TCP lines port, from a browser for example.</summary>
public sealed class TcpLinesHttpRequestTests
{
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
            run.Log.Entries.ShouldContain(entry => entry.Id.Id == 3460 && entry.Text.Contains("http-request", StringComparison.Ordinal));
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

        // The second line may be any text.
        await client.SendAsync($"{line}\nGET / HTTP/1.1\n");

        (await client.ReadAsync()).ShouldNotBeNull();
        (await client.ReadAsync()).ShouldNotBeNull();
        run.Intake.Accepted.ShouldBe(2);
        await run.FinishAsync();
    }
}
