using System.Text;
using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Sockets.TcpLines;

/// <summary>Faults of senders, accidental or deliberate.</summary>
public sealed class TcpLinesFaultTests
{
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
        run.Metrics.DroppedInput.ShouldNotBeNull().ToString().ShouldBe("1 too-long");
        run.Intake.Accepted.ShouldBe(1);
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

        await TcpLinesRun.UntilAsync(() => run.Metrics.DroppedInput?.ToString() == "1 unterminated", "The broken line was not counted.");
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
        run.Metrics.DroppedInput.ShouldNotBeNull().ToString().ShouldBe("1 unterminated");
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
        run.Metrics.DroppedInput.ShouldBeNull();
    }

    [Fact]
    public async Task Read_HalfClosed_LinesInFlightAreStillAnswered()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync();
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync("{\"a\":1}\n{\"b\":2}\n");
        Delivery first = await run.Intake.NextAsync();
        Delivery second = await run.Intake.NextAsync();

        client.EndSending();
        await run.Source.Connections[0].Read.WaitAsync(TimeSpan.FromSeconds(60));
        await second.SettleAsync(Settlement.Complete);
        (await client.ReadAsync()).ShouldBe("ok 2", "Answers follow the order of settlements, not of lines.");
        await first.SettleAsync(Settlement.DeadLetter("malformed-json", "No JSON."));

        (await client.ReadAsync()).ShouldBe("error 1 malformed-json");
        await client.ShouldEndAsync();
        run.DeadLetters.Messages.Single().Reason.ShouldBe("malformed-json");
        await run.FinishAsync();
    }
}
