using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.RabbitMq;

namespace Messaging.Tests.RabbitMq;

public sealed class RabbitMqRedriveTests
{
    private const string Letters = "orders.dead-letters";

    private readonly FakeRabbitMq _broker = new();

    public RabbitMqRedriveTests()
    {
        _broker.Declare("orders");
        _broker.Declare(Letters);
    }

    /// <summary>The broker gives dead letters in their order: those that were there at the start have all been sent before the first newcomer.</summary>
    [Theory]
    [InlineData(3)]
    [InlineData(101)]
    [InlineData(400)]
    public async Task Run_OthersArriveMeanwhile_SendsAllThatWereThereAndIsComplete(int others)
    {
        Publish("held", 50);

        ManualTimeProvider time = new();
        Task<RedriveResult> run = RunAsync(time);
        await Task.WhenAny(run, time.WaitForTimersAsync(1));
        Publish("other", others);
        while (await Task.WhenAny(run, time.WaitForTimersAsync(1)) != run)
        {
            time.Advance(TimeSpan.FromMilliseconds(1));
        }

        RedriveResult result = await run;
        (result.Found, result.Sent, result.IsComplete).ShouldBe((50, 50, true), result.Ended);
        result.Notes.ShouldHaveSingleItem().ShouldEndWith(" dead letter(s) arrived while redrive ran; they stay.");
        _broker.Ready("orders").Count.ShouldBe(50);
        _broker.Ready(Letters).Count.ShouldBe(others);
        _broker.Mistakes.ShouldBeEmpty();
    }

    private void Publish(string name, int count)
    {
        for (int number = 1; number <= count; number++)
        {
            _broker.Publish(Letters, $"{name}-{number}");
        }
    }

    /// <summary>With a rate, so that the run waits for the clock after its first send.</summary>
    private async Task<RedriveResult> RunAsync(ManualTimeProvider time)
    {
        RedriveRequest request = new(Reason: null, Max: int.MaxValue, DryRun: false, Url: null, Route: null, Rate: 1_000);
        await using RabbitMqDeadLetterQueue queue = new(_broker.Connect(), new RabbitMqSourceOptions { Queue = "orders" }, time);
        return await new DeadLetterMover(queue, request, new CommandServices(time, TextWriter.Null, TextWriter.Null)).RunAsync(
            TestContext.Current.CancellationToken);
    }
}
