using Quayside.Pipeline.Frames;

namespace Pipeline.Tests.Frames;

public sealed class ValueTaskThenTests
{
    [Fact]
    public void Then_RestHasCompleted_CallsImmediately()
    {
        List<string> trace = [];

        ValueTask task = default(ValueTask).Then(trace, static trace => trace.Add("then"));

        task.IsCompletedSuccessfully.ShouldBeTrue();
        trace.ShouldBe(["then"]);
    }

    [Fact]
    public async Task Then_RestSuspends_CallsWhenItReturned()
    {
        TaskCompletionSource gate = new();
        List<string> trace = [];

        ValueTask task = new ValueTask(gate.Task).Then(trace, static trace => trace.Add("then"));
        trace.ShouldBeEmpty();
        gate.SetResult();
        await task;

        trace.ShouldBe(["then"]);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Then_RestThrows_IsNotCalled(bool suspends)
    {
        List<string> trace = [];
        TaskCompletionSource gate = new();
        if (!suspends)
        {
            gate.SetException(new FormatException("rest"));
        }

        async Task RunAsync()
        {
            ValueTask task = new ValueTask(gate.Task).Then(trace, static trace => trace.Add("then"));
            gate.TrySetException(new FormatException("rest"));
            await task;
        }

        (await Should.ThrowAsync<FormatException>(RunAsync)).Message.ShouldBe("rest");
        trace.ShouldBeEmpty();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Then_ThenThrows_ItsExceptionIsTheResult(bool suspends)
    {
        TaskCompletionSource gate = new();
        if (!suspends)
        {
            gate.SetResult();
        }

        Task Run()
        {
            ValueTask task = new ValueTask(gate.Task).Then("state", static state => throw new FormatException(state));
            gate.TrySetResult();
            return task.AsTask();
        }

        (await Should.ThrowAsync<FormatException>(Run)).Message.ShouldBe("state");
    }

    [Fact]
    public async Task Then_ManyInFlightOnManyThreads_EachGetsItsOwnState()
    {
        int wrong = 0;

        await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Run(async () =>
        {
            for (int i = 0; i < 10_000; i++)
            {
                int[] state = [i];
                ValueTask task = HopAsync().Then(state, static state => state[0]++).Then(state, static state => state[0] *= 2);
                await task;
                if (state[0] != (i + 1) * 2)
                {
                    Interlocked.Increment(ref wrong);
                }
            }
        })));

        wrong.ShouldBe(0);

        static async ValueTask HopAsync() => await Task.Yield();
    }
}
