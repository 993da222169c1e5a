#pragma warning disable xUnit1031 // The tasks read here have completed: the tests examine what a resumption leaves on this thread.
using System.Runtime.CompilerServices;
using Quayside.Pipeline.Frames;

namespace Pipeline.Tests.Frames;

/// <summary>Methods with the pooled builder behave like those with the runtime's, at any number in flight and from any thread.</summary>
public sealed class PooledAsyncMethodBuilderTests
{
    [Fact]
    public void Result_NothingSuspends_CompletedWithoutASource()
    {
        ValueTask<int> task = DoubleAsync(Task.CompletedTask, 21);

        task.IsCompletedSuccessfully.ShouldBeTrue();
        task.Result.ShouldBe(42);
    }

    [Fact]
    public async Task Result_AfterASuspension_IsReturnedByTheTask()
    {
        TaskCompletionSource gate = new();
        ValueTask<int> task = DoubleAsync(gate.Task, 21);

        task.IsCompleted.ShouldBeFalse();
        gate.SetResult();

        (await task).ShouldBe(42);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Exception_BeforeOrAfterASuspension_IsThrownByTheTask(bool suspends)
    {
        ValueTask task = ThrowAsync(suspends, new FormatException("no number"));

        (await Should.ThrowAsync<FormatException>(async () => await task)).Message.ShouldBe("no number");
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Cancellation_BeforeOrAfterASuspension_TaskIsCanceledNotFaulted(bool suspends)
    {
        ValueTask task = ThrowAsync(suspends, new OperationCanceledException());
        while (!task.IsCompleted)
        {
            await Task.Yield();
        }

        task.IsCanceled.ShouldBeTrue();
        task.IsFaulted.ShouldBeFalse();
        await Should.ThrowAsync<OperationCanceledException>(async () => await task);
    }

    [Fact]
    public async Task Await_ASecondTime_ThrowsAndTheFrameIsNotRentedTwice()
    {
        TaskCompletionSource gate = new();
        ValueTask<int> task = DoubleAsync(gate.Task, 1);
        gate.SetResult();
        (await task).ShouldBe(2);

        await Should.ThrowAsync<InvalidOperationException>(async () => await task);

        TaskCompletionSource first = new();
        TaskCompletionSource second = new();
        ValueTask<int> one = DoubleAsync(first.Task, 10);
        ValueTask<int> two = DoubleAsync(second.Task, 20);
        first.SetResult();
        second.SetResult();
        (await one).ShouldBe(20);
        (await two).ShouldBe(40);
    }

    [Fact]
    public void GetResult_BeforeCompletion_ThrowsAndTheMethodContinues()
    {
        TaskCompletionSource gate = new();
        ValueTask<int> task = DoubleAsync(gate.Task, 21);

        Should.Throw<InvalidOperationException>(() => task.GetAwaiter().GetResult());
        gate.SetResult();

        task.Result.ShouldBe(42);
    }

    [Fact]
    public async Task Await_TwiceConcurrently_TheSecondThrows()
    {
        TaskCompletionSource gate = new();
        ValueTask<int> task = DoubleAsync(gate.Task, 21);
        Task<int> first = task.AsTask();

        Should.Throw<InvalidOperationException>(() => task.GetAwaiter().OnCompleted(() => { }));
        gate.SetResult();

        (await first).ShouldBe(42);
    }

    [Fact]
    public void Resume_WithinAFrame_WaitingFrameHasCompletedWhenTheInnerCallReturns()
    {
        // A part completes the task that another message awaits: that message resumes inline; otherwise a part that then blocks would never return.
        TaskCompletionSource outerGate = new();
        TaskCompletionSource innerGate = new();
        ValueTask<int> waiting = OuterAsync(innerGate.Task);
        bool through = false;
        ValueTask completing = CompleteAsync(outerGate.Task, () =>
        {
            innerGate.SetResult();
            through = waiting.IsCompleted;
        });

        outerGate.SetResult();

        completing.IsCompletedSuccessfully.ShouldBeTrue();
        through.ShouldBeTrue();
        waiting.Result.ShouldBe(2);

        [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
        static async ValueTask<int> OuterAsync(Task gate) => await DoubleAsync(gate, 1);

        [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
        static async ValueTask CompleteAsync(Task gate, Action complete)
        {
            await gate;
            complete();
        }
    }

    [Fact]
    public async Task ManyThreads_FramesMoveBetweenThem_EveryMethodSeesOnlyItsOwnState()
    {
        // Each method suspends on one thread and ends on another, so that the frames move between the threads' caches.
        const int Writers = 8;
        const int Each = 20_000;
        int wrong = 0;

        await Task.WhenAll(Enumerable.Range(0, Writers).Select(writer => Task.Run(async () =>
        {
            for (int i = 0; i < Each; i++)
            {
                int value = (writer * Each) + i;
                if (await NestAsync(value, i % 5) != value + (i % 5))
                {
                    Interlocked.Increment(ref wrong);
                }
            }
        })));

        wrong.ShouldBe(0);
    }

    [Fact]
    public async Task Await_ResultReadLaterOnAnotherThread_FramesStayApart()
    {
        // A resumed caller may read the result later and on another thread.
        int wrong = 0;

        await Task.WhenAll(Enumerable.Range(0, 32).Select(start => Task.Run(async () =>
        {
            for (int i = 0; i < 1_000; i++)
            {
                int value = (start * 1_000) + i;
                if (await ReadLaterAsync(value) != value + 1 || await NestAsync(value, 3) != value + 3)
                {
                    Interlocked.Increment(ref wrong);
                }
            }
        })));

        wrong.ShouldBe(0);

        [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
        static async ValueTask<int> ReadLaterAsync(int value)
        {
            ValueTask<int> inner = NestAsync(value, 1);
            await new WhenDone(inner);
            await Task.Yield();
            return await inner;
        }
    }

    [Fact]
    public async Task Await_AwaiterThrowsInsteadOfWaiting_TheMethodCatchesAndContinues()
    {
        ValueTask<int> task = CatchAsync();

        (await task).ShouldBe(3);

        [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
        static async ValueTask<int> CatchAsync()
        {
            int steps = 0;
            try
            {
                await new Throwing();
            }
            catch (FormatException)
            {
                steps++;
                await Task.Yield();
                steps++;
            }

            return steps + 1;
        }
    }

    [Fact]
    public void DeepChain_Resumed_DoesNotGrowTheStack()
    {
        // Nested, 200,000 resumptions would need some 50 MB of stack.
        TaskCompletionSource gate = new();
        ValueTask task = new(gate.Task);
        for (int i = 0; i < 200_000; i++)
        {
            task = AwaitAsync(task);
        }

        gate.SetResult();

        task.IsCompletedSuccessfully.ShouldBeTrue();

        [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
        static async ValueTask AwaitAsync(ValueTask inner) => await inner;
    }

    [Fact]
    public void Recycle_MethodEnded_NothingOfTheMessageIsKept()
    {
        WeakReference payload = Run();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();

        payload.IsAlive.ShouldBeFalse();

        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference Run()
        {
            TaskCompletionSource gate = new();
            object message = new byte[100];
            ValueTask<object> task = HoldAsync(gate.Task, message);
            gate.SetResult();
            task.Result.ShouldBeSameAs(message);
            return new WeakReference(message);
        }

        [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
        static async ValueTask<object> HoldAsync(Task gate, object message)
        {
            await gate;
            return message;
        }
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    private static async ValueTask<int> DoubleAsync(Task gate, int value)
    {
        await gate;
        return value * 2;
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private static async ValueTask ThrowAsync(bool suspends, Exception exception)
    {
        if (suspends)
        {
            await Task.Yield();
        }

        throw exception;
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    private static async ValueTask<int> NestAsync(int value, int depth)
    {
        if (depth == 0)
        {
            await Task.Yield();
            return value;
        }

        int inner = await NestAsync(value, depth - 1);
        if (depth % 2 == 0)
        {
            await Task.Yield();
        }

        return inner + 1;
    }

    /// <summary>Waits for a task without reading its result.</summary>
    private readonly struct WhenDone(ValueTask<int> task) : ICriticalNotifyCompletion
    {
        public bool IsCompleted => task.IsCompleted;

        public WhenDone GetAwaiter() => this;

        public void GetResult()
        {
        }

        public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

        public void UnsafeOnCompleted(Action continuation) => task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(continuation);
    }

    private readonly struct Throwing : ICriticalNotifyCompletion
    {
        public bool IsCompleted => false;

        public Throwing GetAwaiter() => this;

        public void GetResult() => throw new NotSupportedException();

        public void OnCompleted(Action continuation) => throw new FormatException();

        public void UnsafeOnCompleted(Action continuation) => throw new FormatException();
    }
}
