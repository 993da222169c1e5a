using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Intake;

/// <summary>Many threads reserve, cancel, release and accept, while messages end in every way: at the end every slot is free.</summary>
public sealed class MessageIntakeStressTests
{
    private const int Concurrency = 16;
    private const int Threads = 8;
    private const int Rounds = 400;

    [Theory]
    [InlineData(1, false)]
    [InlineData(2, false)]
    [InlineData(3, true)]
    [InlineData(4, true)]
    public async Task Anything_FromManyThreads_NoSlotIsLost(int seed, bool breakerFlaps)
    {
        int working = 0;
        int tooMany = 0;
        int accepted = 0;
        await using IntakeFixture fixture = new(
            async context =>
            {
                if (Interlocked.Increment(ref working) > Concurrency)
                {
                    Interlocked.Increment(ref tooMany);
                }

                try
                {
                    await EndAsync(context);
                }
                finally
                {
                    Interlocked.Decrement(ref working);
                }
            },
            Concurrency,
            bytesInFlight: 200);
        using CancellationTokenSource stopFlapping = new();
        Task flapping = breakerFlaps ? Task.Run(() => FlapAsync(fixture, stopFlapping.Token)) : Task.CompletedTask;

        await Task.WhenAll(Enumerable.Range(0, Threads).Select(number => Task.Run(() => UseAsync(new Random((seed * 100) + number)))));
        await stopFlapping.CancelAsync();
        await flapping;

        await fixture.DrainAsync();
        tooMany.ShouldBe(0);
        fixture.Intake.InFlight.ShouldBe(0);
        fixture.Intake.BytesInFlight.ShouldBe(0);
        fixture.Metrics.Totals.Received.ShouldBe(accepted);
        (fixture.Metrics.Totals.Stored + fixture.Metrics.Totals.Returned + fixture.Metrics.Totals.DeadLetters).ShouldBe(accepted);

        async Task UseAsync(Random random)
        {
            for (int i = 0; i < Rounds; i++)
            {
                int min = random.Next(1, 6);
                int max = min + random.Next(0, 10);
                SlotLease tried = default;
                using SlotLease slots = random.Next(4) == 0
                    ? fixture.Intake.TryReserve(out tried) == IntakeAnswer.Reserved ? tried : default
                    : await ReserveOrGiveUpAsync(fixture, min, max, random);
                int used = random.Next(0, slots.Count + 1);
                for (int message = 0; message < used; message++)
                {
                    Interlocked.Increment(ref accepted);
                    slots.Accept(RandomMessage(random));
                }

                if (random.Next(3) == 0)
                {
                    await Task.Yield();
                }
            }
        }
    }

    private static async Task<SlotLease> ReserveOrGiveUpAsync(IntakeFixture fixture, int min, int max, Random random)
    {
        using CancellationTokenSource limit = new();
        if (random.Next(3) == 0)
        {
            limit.Cancel();
        }
        else
        {
            // Sometimes shorter than the wait, so that grants and cancellations race.
            limit.CancelAfter(TimeSpan.FromMilliseconds(random.Next(1, 5)));
        }

        try
        {
            return await fixture.Intake.ReserveAsync(min, max, limit.Token);
        }
        catch (OperationCanceledException)
        {
            return default;
        }
    }

    private static TestMessage RandomMessage(Random random)
    {
        int settles = random.Next(10);
        return new TestMessage
        {
            Bytes = new byte[random.Next(0, 40)],
            OnSettle = settles switch
            {
                0 => () => throw new InvalidOperationException("source"),
                1 => FailLaterAsync,
                2 or 3 => async () => await Task.Yield(),
                _ => null,
            },
        };

        static async ValueTask FailLaterAsync()
        {
            await Task.Yield();
            throw new InvalidOperationException("source, later");
        }
    }

    private static async ValueTask EndAsync(MessageContext context)
    {
        int length = context.Message.Body.Length;
        if (length % 3 == 0)
        {
            await Task.Yield();
        }

        switch (length % 7)
        {
            case 0:
                throw new TransientException("x");
            case 1:
                throw new DeadLetterException("bad", "x");
            case 2:
                throw new InvalidOperationException("x");
            case 3:
                return;
            default:
                context.Settlement = Settlement.Complete;
                return;
        }
    }

    private static async Task FlapAsync(IntakeFixture fixture, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            for (int i = 0; i < fixture.Recoverability.BreakerFailures; i++)
            {
                fixture.Breaker.Failed("flapping");
            }

            await Task.Yield();
            fixture.Time.Advance(fixture.Recoverability.BreakerOpen);
            await Task.Yield();
            fixture.Breaker.Succeeded();
        }

        // The breaker closes from every state.
        while (fixture.Breaker.State != BreakerState.Closed)
        {
            fixture.Time.Advance(fixture.Recoverability.BreakerOpen);
            fixture.Breaker.UpdateState();
            fixture.Breaker.Succeeded();
        }
    }
}
