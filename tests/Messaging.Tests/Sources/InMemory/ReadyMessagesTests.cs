using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Sources.Channels;
using Quayside.Messaging.Sources.InMemory;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Sources.InMemory;

public sealed class ReadyMessagesTests
{
    // Only a hang takes so long, on a busy machine too.
    private static readonly TimeSpan WaitLimit = TimeSpan.FromMinutes(5);

    [Fact]
    public void Take_AddedInSeveralRounds_OldestFirst()
    {
        ReadyMessages<Numbered> ready = new();
        ready.TryAdd(new Numbered(0, 1));
        ready.TryAdd(new Numbered(0, 2));
        ready.Collect().ShouldBe(2);
        ready.TryAdd(new Numbered(0, 3));
        Take(ready).ShouldBe(1);
        ready.TryAdd(new Numbered(0, 4));

        ready.Collect().ShouldBe(3);

        (Take(ready), Take(ready), Take(ready), Take(ready)).ShouldBe((2, 3, 4, null));
    }

    [Fact]
    public async Task Wait_NothingWasAdded_EndsWithTheNextMessageOrCall()
    {
        ReadyMessages<Numbered> ready = new();
        ValueTask wait = ready.WaitAsync();
        wait.IsCompleted.ShouldBeFalse();
        ready.TryAdd(new Numbered(0, 1));
        await wait.AsTask().WaitAsync(WaitLimit);
        ready.Collect().ShouldBe(1);

        ready.Call();
        ready.WaitAsync().IsCompletedSuccessfully.ShouldBeTrue();

        ready.WaitAsync().IsCompleted.ShouldBeFalse();
    }

    [Fact]
    public void Close_RefusesAndKeepsWhatWasAdded()
    {
        ReadyMessages<Numbered> ready = new();
        ready.TryAdd(new Numbered(0, 1));

        ready.Close();

        ready.TryAdd(new Numbered(0, 2)).ShouldBeFalse();
        ready.HasEnded.ShouldBeFalse();
        ready.WaitAsync().IsCompletedSuccessfully.ShouldBeTrue();
        ready.Collect().ShouldBe(1);
        Take(ready).ShouldBe(1);
        ready.HasEnded.ShouldBeTrue();
        ready.Close();
        ready.Collect().ShouldBe(0);
    }

    [Fact]
    public async Task Take_ManyThreadsAddAndOneCloses_EachAddedMessageArrivesOnceInTheOrderOfItsThread()
    {
        const int Threads = 6;
        const int Max = 30_000;
        for (int round = 0; round < 10; round++)
        {
            ReadyMessages<Numbered> ready = new();
            Task<int>[] adding = [.. Enumerable.Range(0, Threads).Select(thread => Task.Run(() =>
            {
                int added = 0;
                while (added < Max && ready.TryAdd(new Numbered(thread, added)))
                {
                    added++;
                }

                return added;
            }))];
            Task closing = Task.WhenAny(adding).ContinueWith(_ => ready.Close(), TaskScheduler.Default);

            int[] taken = await Task.Run(() => ReadAsync(ready, Threads)).WaitAsync(WaitLimit);

            taken.ShouldBe(await Task.WhenAll(adding));
            await closing;
        }
    }

    [Fact]
    public async Task Wait_CallsOvertakeTheReader_NoMessageIsOverslept()
    {
        const int Count = 200_000;
        await using ServiceProvider services = new ServiceCollection().BuildServiceProvider();
        ChannelPublishers publishers = new();
        await using ChannelMessageSource source = new(
            new SourceServices { Route = "orders", Services = services, DeadLetters = new MemoryDeadLetters(), Concurrency = 64 },
            new ChannelSourceOptions { Capacity = 4 },
            publishers,
            new BufferPool());
        using CancellationTokenSource stop = new();
        CompletingIntake intake = new();
        Task receiving = Task.Run(() => source.ReceiveAsync(intake, stop.Token));

        // With so little space, publisher and reader wait for each other all the time.
        await Task.Run(async () =>
        {
            for (int i = 0; i < Count; i++)
            {
                await publishers.Default.PublishAsync(default);
            }
        }).WaitAsync(WaitLimit);

        await publishers.Default.WhenSettledAsync(CancellationToken.None).WaitAsync(WaitLimit);
        intake.Completed.ShouldBe(Count);
        await stop.CancelAsync();
        await receiving;
    }

    private static async Task<int[]> ReadAsync(ReadyMessages<Numbered> ready, int threads)
    {
        int[] taken = new int[threads];
        while (!ready.HasEnded)
        {
            if (ready.Collect() == 0)
            {
                await ready.WaitAsync();
                continue;
            }

            while (ready.TryTake(out Numbered? message))
            {
                message.Number.ShouldBe(taken[message.Thread]++);
            }
        }

        return taken;
    }

    private static int? Take(ReadyMessages<Numbered> ready) => ready.TryTake(out Numbered? message) ? message.Number : null;

    private sealed class Numbered(int thread, int number) : InMemoryMessage
    {
        public int Thread { get; } = thread;

        public int Number { get; } = number;

        protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) => default;
    }
}
