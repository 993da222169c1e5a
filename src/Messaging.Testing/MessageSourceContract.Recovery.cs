using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Testing;

/// <content>After a crash, and after the end of the connections.</content>
public sealed partial class MessageSourceContract
{
    // Room for the visibility timeouts and locks of harnesses on real servers.
    private static readonly TimeSpan MaxRedelivery = TimeSpan.FromSeconds(200);

    // Time passes in steps that grow to this.
    private static readonly TimeSpan MaxStep = TimeSpan.FromSeconds(0.8);

    /// <summary>
    /// After a crash of the process, a source over the same queue delivers again each message that had been delivered and not settled, and no
    /// message that had been settled.
    /// </summary>
    public async Task Reopen_AfterACrash_RedeliversWhatWasNotSettled()
    {
        if (!harness.RedeliversAfterCrash)
        {
            return;
        }

        const int Unsettled = 3;
        await harness.StartAsync();
        await harness.PublishAsync("{\"n\":\"completed\"}"u8.ToArray());
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await harness.PublishAsync("{\"n\":\"dead\"}"u8.ToArray());
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.DeadLetter("test-reason", "Settled before the crash."));
        Require.Equal((await harness.DeadLettersAsync(expected: 1)).Count, 1, "One message is dead-lettered.");
        await harness.WaitUntilEmptyAsync();
        Dictionary<string, Delivery> claimed = new(StringComparer.Ordinal);
        for (int i = 0; i < Unsettled; i++)
        {
            await harness.PublishAsync(Encoding.UTF8.GetBytes($"{{\"n\":{i}}}"));
            Delivery delivery = await harness.Intake.NextAsync();
            claimed.Add(delivery.Id, delivery);
        }

        await harness.ReopenAsync();
        await harness.StartAsync();

        foreach (string _ in claimed.Keys)
        {
            Delivery again = await NextAfterTimeAsync();
            Require.True(
                claimed.TryGetValue(again.Id, out Delivery? before),
                $"After a crash only messages that were not settled are delivered again, each once: {again.Id} was not one of them.");
            Require.Bytes(again.Body, before.Body, "A body is the same on every delivery.");
            Require.True(
                again.Count >= before.Count,
                $"A crash does not lower the count of deliveries, or a message that causes crashes is never dead-lettered: "
                    + $"it fell from {before.Count} to {again.Count}.");
            await again.SettleAsync(Settlement.Complete);
        }

        await harness.WaitUntilEmptyAsync();
        await harness.AdvanceAsync(harness.AbandonDelay);
        await harness.FinishAsync();
        Require.Equal(harness.Intake.Accepted, Unsettled, "After a crash each message that was not settled is delivered again, and no other.");
    }

    /// <summary>
    /// After its connections have ended, a source connects again by itself. What was in flight is settled as decided or delivered again, with
    /// the same id and body, and no settlement reaches another message.
    /// </summary>
    public async Task Interrupt_WithMessagesInFlight_LosesNone()
    {
        if (!harness.HoldsConnections)
        {
            return;
        }

        const int Completed = 2;
        const int InFlight = 4;
        await harness.StartAsync();
        Dictionary<string, Delivery> inFlight = new(StringComparer.Ordinal);
        for (int i = 0; i < InFlight; i++)
        {
            await harness.PublishAsync(Encoding.UTF8.GetBytes($"{{\"n\":{i}}}"));
            Delivery delivery = await harness.Intake.NextAsync();
            inFlight.Add(delivery.Id, delivery);
        }

        ConcurrentQueue<Delivery> after = new();
        harness.Intake.Script = delivery =>
        {
            after.Enqueue(delivery);
            return Settlement.Complete;
        };
        await harness.InterruptAsync();
        Delivery[] held = [.. inFlight.Values];
        await Task.WhenAll(held.Select((delivery, i) => delivery.SettleAsync(i < Completed ? Settlement.Complete : Settlement.Abandon(TimeSpan.Zero))));
        await harness.PublishAsync("{\"n\":\"new\"}"u8.ToArray());

        const int Expected = InFlight - Completed + 1;
        await WhileTimePassesAsync(
            () => after
                .Select(delivery => delivery.Id)
                .Except(held.Take(Completed).Select(delivery => delivery.Id), StringComparer.Ordinal)
                .Distinct(StringComparer.Ordinal)
                .Count() >= Expected,
            "After its connections have ended, a source connects again, receives new messages, and delivers again what was abandoned.");
        await harness.WaitUntilEmptyAsync();
        Require.Empty(await harness.DeadLettersAsync(expected: 0), "The end of a connection dead-letters no message.");
        await harness.FinishAsync();
        foreach (Delivery again in after.Where(delivery => inFlight.ContainsKey(delivery.Id)))
        {
            Require.Bytes(again.Body, inFlight[again.Id].Body, "A body is the same on every delivery.");
        }

        Require.Equal(
            after.Select(delivery => delivery.Id).Except(inFlight.Keys, StringComparer.Ordinal).Distinct(StringComparer.Ordinal).Count(), 1,
            "An id is the same on every delivery, and no message is delivered that was not sent.");
    }

    /// <summary>The next message, while time passes: a queue redelivers what a crashed process held only after a while.</summary>
    private async Task<Delivery> NextAfterTimeAsync()
    {
        Task<Delivery> next = harness.Intake.NextAsync();
        await WhileTimePassesAsync(() => next.IsCompleted, "After a crash each message that was not settled is delivered again: one was not.");
        return await next;
    }

    private async Task WhileTimePassesAsync(Func<bool> condition, string what)
    {
        long started = Stopwatch.GetTimestamp();
        TimeSpan step = TimeSpan.FromMilliseconds(100);
        for (TimeSpan passed = TimeSpan.Zero; !condition(); passed += step)
        {
            // By a clock of the harness's own, much time passes while a busy machine has not yet run what waits for it.
            bool hasPassed = passed >= MaxRedelivery;
            Require.True(!hasPassed || Stopwatch.GetElapsedTime(started) < harness.MinPatience, what);
            step = hasPassed ? TimeSpan.Zero : step < MaxStep ? step * 2 : MaxStep;
            await harness.AdvanceAsync(step);
            await Task.Delay(10);
        }
    }
}
