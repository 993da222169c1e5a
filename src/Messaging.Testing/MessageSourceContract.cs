using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Testing;

/// <summary>
/// What every source that redelivers must do: one method per rule, each for a new harness, which it starts and finishes.
/// Quayside.Messaging.Testing.Xunit tests each of them.
/// </summary>
/// <param name="harness">The source under test. The caller disposes it.</param>
public sealed partial class MessageSourceContract(SourceHarness harness)
{
    private const string TooEarly = "An abandoned message is not redelivered before its delay has ended.";

    /// <summary>A body arrives unchanged: short, long or multi-byte, and empty or not text where the source allows that.</summary>
    public async Task Receive_AnyBody_ArrivesUnchanged()
    {
        await harness.StartAsync();
        foreach (byte[] body in Bodies())
        {
            await harness.PublishAsync(body);
            Delivery delivery = await harness.Intake.NextAsync();

            Require.Bytes(delivery.Body, body, "A body arrives unchanged.");
            Require.True(delivery.Id.Length > 0, "A message has an id.");
            Require.Equal(delivery.Count, 1, "A new message is on its first delivery.");
            await delivery.SettleAsync(Settlement.Complete);
        }

        await harness.FinishAsync();
    }

    /// <summary>No two messages share an id.</summary>
    public async Task Receive_DifferentMessages_HaveDifferentIds()
    {
        const int Messages = 50;
        await harness.StartAsync();
        ConcurrentBag<string> ids = [];
        harness.Intake.Script = delivery =>
        {
            ids.Add(delivery.Id);
            return Settlement.Complete;
        };
        for (int i = 0; i < Messages; i++)
        {
            await harness.PublishAsync(Encoding.UTF8.GetBytes($"{{\"n\":{i}}}"));
        }

        await harness.WaitUntilEmptyAsync();

        Require.Equal(ids.Distinct(StringComparer.Ordinal).Count(), Messages, "Different messages have different ids.");
        await harness.FinishAsync();
    }

    /// <summary>An id given by the sender is the message's id, where the source keeps such ids.</summary>
    public async Task Receive_GivenId_IsTheSourceId()
    {
        await harness.StartAsync();
        await harness.PublishAsync("{}"u8.ToArray(), "order-4711");

        Delivery delivery = await harness.Intake.NextAsync();

        if (harness.KeepsGivenIds)
        {
            Require.Equal(delivery.Id, "order-4711", "The id given by the sender is the message's id.");
        }

        await delivery.SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
    }

    /// <summary>A completed message is neither redelivered nor dead-lettered.</summary>
    public async Task Complete_Message_IsGone()
    {
        await harness.StartAsync();
        await harness.PublishAsync("{}"u8.ToArray());

        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);

        await harness.WaitUntilEmptyAsync();
        await harness.AdvanceAsync(harness.AbandonDelay);
        Require.Empty(await harness.DeadLettersAsync(expected: 0), "A completed message is not dead-lettered.");
        await harness.FinishAsync();
        Require.Equal(harness.Intake.Accepted, 1, "A completed message is not redelivered.");
    }

    /// <summary>An abandoned message is redelivered after the delay and not before, with the same id and body, and its delivery is counted.</summary>
    public async Task Abandon_WithDelay_IsRedeliveredUnchangedAfterIt()
    {
        byte[] body = "{\"Product\":\"p\"}"u8.ToArray();
        await harness.StartAsync();
        await harness.PublishAsync(body);
        Delivery first = await harness.Intake.NextAsync();
        long abandonedAt = Stopwatch.GetTimestamp();

        await first.SettleAsync(Settlement.Abandon(harness.AbandonDelay, "try later"));

        // A redelivery that is too early comes before a message that is sent later. Where the source's clock is the real one, the delay may
        // have ended on a busy machine.
        await harness.AdvanceAsync(harness.AbandonDelay / 2);
        Require.Equal(harness.Intake.Accepted, 1, TooEarly);
        await harness.PublishAsync("{}"u8.ToArray());
        Delivery next = await harness.Intake.NextAsync();
        Require.True(next.Id != first.Id || Stopwatch.GetElapsedTime(abandonedAt) > harness.AbandonDelay * 0.9, TooEarly);
        await next.SettleAsync(Settlement.Complete);
        await harness.AdvanceAsync(harness.AbandonDelay / 2);
        Delivery last = await harness.Intake.NextAsync();
        Delivery second = next.Id == first.Id ? next : last;
        Require.Bytes(second.Body, body, "A body is the same on every delivery.");
        Require.Equal(second.Id, first.Id, "An id is the same on every delivery, since objects and rows are named after it.");
        Require.Equal(second.Count, harness.CountsDeliveries ? 2 : 1, "Deliveries are counted.");
        await last.SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    /// <summary>A message that is abandoned again and again is redelivered each time.</summary>
    public async Task Abandon_Repeatedly_IsNeverDropped()
    {
        await harness.StartAsync();
        await harness.PublishAsync("{}"u8.ToArray(), "stubborn");
        string? id = null;
        for (int attempt = 1; attempt <= 4; attempt++)
        {
            Delivery delivery = await harness.Intake.NextAsync();
            Require.Equal(delivery.Count, harness.CountsDeliveries ? attempt : 1, "Deliveries are counted.");
            Require.Equal(delivery.Id, id ??= delivery.Id, "An id is the same on every delivery.");
            await delivery.SettleAsync(Settlement.Abandon(TimeSpan.Zero));
            await harness.AdvanceAsync(TimeSpan.FromSeconds(1));
        }

        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    /// <summary>A dead-lettered message is kept with id, reason and unchanged body, and is not redelivered.</summary>
    public async Task DeadLetter_Message_IsKeptWithItsReason()
    {
        byte[] body = "{\"broken\":"u8.ToArray();
        await harness.StartAsync();
        await harness.PublishAsync(body);
        Delivery delivery = await harness.Intake.NextAsync();

        await delivery.SettleAsync(Settlement.DeadLetter("malformed-json", "The JSON ends too early."));

        DeadLetteredMessage kept = Require.Single(await harness.DeadLettersAsync(expected: 1), "One message is dead-lettered.");
        Require.Equal(kept.Reason, "malformed-json", "The reason is kept.");
        Require.Bytes(kept.Body, body, "The body is kept unchanged.");
        Require.Equal(kept.Id, delivery.Id, "The id is kept.");
        await harness.WaitUntilEmptyAsync();
        await harness.AdvanceAsync(harness.AbandonDelay);
        await harness.FinishAsync();
        Require.Equal(harness.Intake.Accepted, 1, "A dead-lettered message is not redelivered.");
    }

    /// <summary>
    /// In a real worker, messages whose bodies throw when they are read are dead-lettered, hold no slot afterwards, and do not keep others from
    /// being handled.
    /// </summary>
    public async Task Receive_MoreUnreadableBodiesThanSlots_AreDeadLetteredAndTheRestIsHandled()
    {
        int slots = harness.Intake.Concurrency;
        int unreadable = 2 * slots;
        int readable = slots;
        IHost host = UnreadableSource.BuildHost(harness.Source, slots);
        try
        {
            await host.StartAsync();
            await SendAsync(unreadable, UnreadableBody);
            await SendAsync(readable, i => $"{{\"n\":{i}}}");
            for (int attempt = 0; Settled() < unreadable + readable; attempt++)
            {
                Require.True(attempt < 2_000, $"Messages that cannot be read hold no slot: {Settled()} of {unreadable + readable} messages were settled.");
                await harness.AdvanceAsync(TimeSpan.FromMilliseconds(100));
                await Task.Delay(10);
            }

            IReadOnlyList<DeadLetteredMessage> kept = await harness.DeadLettersAsync(unreadable);
            Require.Empty([.. kept.Where(message => message.Reason != UnreadableSource.Reason)], $"Every reason is {UnreadableSource.Reason}.");
            Require.Equal(
                string.Join(", ", kept.Select(message => Encoding.UTF8.GetString(message.Body)).Order(StringComparer.Ordinal)),
                string.Join(", ", Enumerable.Range(0, unreadable).Select(UnreadableBody).Order(StringComparer.Ordinal)),
                "Each message that cannot be read is kept once.");
            Require.Equal(Totals().DeadLetters, unreadable, "Each dead letter is counted once.");
            await host.StopAsync();
        }
        finally
        {
            await DisposeAsync(host);
        }

        await harness.Source.DisposeAsync();
        Require.Equal(harness.OutstandingBuffers, 0, "Every rented buffer is returned.");

        RouteTotals Totals() => host.Services.GetRequiredService<IMessageWorker>().GetTotals(UnreadableSource.Route);

        long Settled() => Totals().Stored + Totals().DeadLetters;
    }

    /// <summary>Settling a message a second time throws.</summary>
    public async Task Settle_Twice_Throws()
    {
        await harness.StartAsync();
        await harness.PublishAsync("{}"u8.ToArray());
        Delivery delivery = await harness.Intake.NextAsync();
        await delivery.SettleAsync(Settlement.Complete);

        await Require.ThrowsAsync<InvalidOperationException>(
            () => delivery.Message.SettleAsync(Settlement.Complete, CancellationToken.None), "A message is settled once.");

        await harness.FinishAsync();
    }

    /// <summary>An undecided settlement throws, and the message can still be settled.</summary>
    public async Task Settle_Undecided_ThrowsAndLeavesTheMessageToItsOwner()
    {
        await harness.StartAsync();
        await harness.PublishAsync("{}"u8.ToArray());
        Delivery delivery = await harness.Intake.NextAsync();

        await Require.ThrowsAsync<InvalidOperationException>(
            () => delivery.Message.SettleAsync(default, CancellationToken.None), "An undecided settlement throws.");

        await delivery.SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    /// <summary>Of a thousand messages from eight senders, each is settled once, as decided, and no more are in flight than there are slots.</summary>
    public async Task Settle_ManyMessagesConcurrently_EachEndsOnceAsDecided()
    {
        const int Messages = 1_000;
        const int DeadLetters = Messages / 50;
        ConcurrentDictionary<string, int> completed = new(StringComparer.Ordinal);
        harness.Intake.Script = delivery =>
        {
            int n = int.Parse(Encoding.UTF8.GetString(delivery.Body).AsSpan(5).TrimEnd('}'));
            if (n % 50 == 7)
            {
                return Settlement.DeadLetter("test-reason", "Every fiftieth.");
            }

            completed.AddOrUpdate(delivery.Id, 1, (_, times) => times + 1);
            return Settlement.Complete;
        };
        await harness.StartAsync();
        await Parallel.ForAsync(0, Messages, new ParallelOptions { MaxDegreeOfParallelism = 8 }, async (n, _) =>
            await harness.PublishAsync(Encoding.UTF8.GetBytes($"{{\"n\":{n}}}"), $"many-{n}"));

        await harness.WaitUntilEmptyAsync();

        Require.Equal(completed.Count, Messages - DeadLetters, "Each message is delivered.");
        Require.Empty([.. completed.Where(message => message.Value != 1)], "No completed message is redelivered.");
        IReadOnlyList<DeadLetteredMessage> kept = await harness.DeadLettersAsync(DeadLetters);
        Require.Equal(kept.Select(message => message.Id).Distinct(StringComparer.Ordinal).Count(), DeadLetters, "Each dead letter is kept.");
        Require.True(
            harness.Intake.MaxUnsettled <= harness.Intake.Concurrency,
            $"No more messages are in flight than there are slots: {harness.Intake.MaxUnsettled} were.");
        await harness.FinishAsync();
    }

    /// <summary>While no slot is granted, the source receives nothing.</summary>
    public async Task Receive_PausedIntake_TakesNothingUntilResumed()
    {
        harness.Intake.Pause();
        await harness.StartAsync();
        await harness.PublishAsync("{}"u8.ToArray());

        await harness.Intake.UntilReservingAsync();
        Require.Equal(harness.Intake.Accepted, 0, "Nothing is delivered to a paused intake.");

        harness.Intake.Resume();
        await harness.AdvanceAsync(TimeSpan.FromSeconds(6));
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    /// <summary>A source that waits for messages stops.</summary>
    public async Task Stop_WhileWaitingForMessages_Returns()
    {
        await harness.StartAsync();
        await harness.PublishAsync("{}"u8.ToArray());
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();

        await harness.StopReceivingAsync();

        await harness.FinishAsync();
    }

    /// <summary>A source that waits for a slot stops, and delivers nothing.</summary>
    public async Task Stop_WhileWaitingForASlot_Returns()
    {
        harness.Intake.Pause();
        await harness.StartAsync();
        await harness.PublishAsync("{}"u8.ToArray());
        await harness.Intake.UntilReservingAsync();

        await harness.StopReceivingAsync();

        Require.Equal(harness.Intake.Accepted, 0, "A source that was stopped delivers nothing.");
        harness.Intake.Script = _ => Settlement.Complete;
        harness.Intake.Resume();
        await harness.FinishAsync();
    }

    /// <summary>Messages in flight can be settled after receiving has ended.</summary>
    public async Task Stop_WithMessagesInFlight_TheyCanStillBeSettled()
    {
        await harness.StartAsync();
        List<Delivery> inFlight = [];
        for (int i = 0; i < Math.Min(10, harness.Intake.Concurrency); i++)
        {
            await harness.PublishAsync(Encoding.UTF8.GetBytes($"{{\"n\":{i}}}"));
            inFlight.Add(await harness.Intake.NextAsync());
        }

        await harness.StopReceivingAsync();

        foreach (Delivery delivery in inFlight)
        {
            await delivery.SettleAsync(Settlement.Complete);
        }

        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    private static string UnreadableBody(int number) => $"{UnreadableSource.Mark} {number}";

    private async Task SendAsync(int count, Func<int, string> body)
    {
        for (int i = 0; i < count; i++)
        {
            await harness.PublishAsync(Encoding.UTF8.GetBytes(body(i)));
        }
    }

    /// <summary>A broken rule leaves messages in flight; the disposal waits for them by the harness's clock.</summary>
    private async Task DisposeAsync(IHost host)
    {
        Task disposing = Task.Run(host.Dispose);
        for (int attempt = 0; !disposing.IsCompleted; attempt++)
        {
            Require.True(attempt < 2_000, "The worker could not be disposed.");
            await harness.AdvanceAsync(TimeSpan.FromMilliseconds(100));
            await Task.WhenAny(disposing, Task.Delay(10));
        }

        await disposing;
    }

    private IEnumerable<byte[]> Bodies()
    {
        yield return "x"u8.ToArray();
        yield return "{\"a\":\"\u00e4\u20ac\"}"u8.ToArray();
        if (harness.AllowsSupplementaryCharacters)
        {
            yield return "{\"a\":\"\ud83d\ude00\"}"u8.ToArray();
        }

        yield return [.. Enumerable.Repeat((byte)'y', 4_096)];
        yield return [.. Enumerable.Range(0, harness.MaxBodyBytes - 1).Select(i => (byte)('a' + (i % 26)))];
        yield return [.. Enumerable.Repeat((byte)'z', harness.MaxBodyBytes)];
        if (harness.AllowsEmptyBodies)
        {
            yield return [];
        }

        if (harness.AllowsAnyBytes)
        {
            yield return [.. Enumerable.Range(0, 256).Select(value => (byte)value)];
            yield return [0xC0, 0xAF, 0xED, 0xA0, 0x80, 0xFF, 0xFE, 0x00];
            yield return [(byte)'\r', (byte)'\n'];
        }
    }
}
