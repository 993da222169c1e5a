#pragma warning disable xUnit1031 // The tasks read here have completed: the tests examine what a resumption leaves on this thread.
using System.Runtime.CompilerServices;
using Quayside.Pipeline.Frames;

namespace Pipeline.Tests.Frames;

/// <summary>Whether async locals and the synchronisation context flow over a suspension of the pooled builder.</summary>
public sealed class PooledAsyncMethodBuilderFlowTests
{
    private static readonly AsyncLocal<int> Flowing = new();

    [Fact]
    public async Task AsyncLocal_SetByTheMethod_FlowsOverItsSuspensionsAndNotToItsCaller()
    {
        Flowing.Value = 1;
        TaskCompletionSource gate = new();

        ValueTask<int> task = SetLocalAsync(gate.Task, 2);
        Flowing.Value.ShouldBe(1, "a value that a method sets does not flow to its caller");
        gate.SetResult();

        (await task).ShouldBe(2, "a value that a method set remains after its suspension");
        Flowing.Value.ShouldBe(1);
    }

    [Fact]
    public void AsyncLocal_SetByTheMethod_DoesNotFlowToTheCodeThatResumesIt()
    {
        TaskCompletionSource gate = new();
        ValueTask<int> task = SetLocalAfterAsync(gate.Task, 7);
        Flowing.Value = 3;

        gate.SetResult();

        Flowing.Value.ShouldBe(3);
        task.Result.ShouldBe(7);
    }

    [Fact]
    public void AsyncLocal_FlowSuppressedWhereItSuspends_RunsInTheResumersContext()
    {
        TaskCompletionSource gate = new();
        Flowing.Value = 1;
        ValueTask<int> task;
        using (ExecutionContext.SuppressFlow())
        {
            task = ReadLocalAsync(gate.Task);
        }

        Flowing.Value = 9;
        gate.SetResult();

        task.Result.ShouldBe(9);
    }

    [Fact]
    public async Task SynchronizationContext_OfTheSuspension_IsUsedForTheResumption()
    {
        CountingContext context = new();
        TaskCompletionSource gate = new();
        SynchronizationContext? before = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(context);
        ValueTask<bool> task;
        try
        {
            task = IsOnAsync(context, gate.Task);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(before);
        }

        await Task.Run(gate.SetResult, TestContext.Current.CancellationToken);

        (await task).ShouldBeTrue();
        context.Posts.ShouldBeGreaterThanOrEqualTo(2, "the inner method's await and the outer one's");

        [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
        static async ValueTask<bool> IsOnAsync(SynchronizationContext expected, Task gate)
        {
            // The inner method ends on the thread pool; the outer one returns to its own context.
            await OffAsync(gate);
            bool back = SynchronizationContext.Current == expected;
            await Task.Yield();
            return back && SynchronizationContext.Current == expected;
        }

        [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
        static async ValueTask OffAsync(Task gate) => await gate.ConfigureAwait(false);
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    private static async ValueTask<int> SetLocalAsync(Task gate, int value)
    {
        Flowing.Value = value;
        await gate;
        return Flowing.Value;
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    private static async ValueTask<int> SetLocalAfterAsync(Task gate, int value)
    {
        await gate;
        Flowing.Value = value;
        return Flowing.Value;
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    private static async ValueTask<int> ReadLocalAsync(Task gate)
    {
        await gate;
        return Flowing.Value;
    }

    private sealed class CountingContext : SynchronizationContext
    {
        private int _posts;

        public int Posts => Volatile.Read(ref _posts);

        public override void Post(SendOrPostCallback d, object? state)
        {
            Interlocked.Increment(ref _posts);
            ThreadPool.QueueUserWorkItem(_ =>
            {
                SetSynchronizationContext(this);
                try
                {
                    d(state);
                }
                finally
                {
                    SetSynchronizationContext(null);
                }
            });
        }
    }
}
