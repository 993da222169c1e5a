using System.Globalization;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Testing;

/// <summary>
/// What a handler must do so that at-least-once delivery has the effect of exactly one: one method per rule, each for a new harness. It runs in a
/// real worker, so the same rules hold for handlers of single messages and of batches, shared or scoped.
/// </summary>
/// <param name="harness">The handler under test. The caller disposes it.</param>
public sealed class HandlerContract(HandlerHarness harness)
{
    private const int Many = 200;

    // The worker logs it when a part of a route decided nothing about a message.
    private const int UndecidedEvent = 5006;

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    /// <summary>A message that is completed has had its effect.</summary>
    public async Task Handle_Message_IsCompletedWithItsEffect()
    {
        // Few deliveries, so that a handler that never completes a message is found soon.
        await using TestWorker worker = await StartAsync(maxDeliveries: 5);

        await CompletedAsync(worker, worker.Send(harness.CreateMessage(1)));

        Require.Single(await harness.ReadEffectsAsync(), "A message has one effect.");
    }

    /// <summary>A message that is delivered again, sequentially or concurrently, has one effect.</summary>
    public async Task Handle_RedeliveredMessage_HasOneEffect()
    {
        await using TestWorker worker = await StartAsync();
        await CompletedAsync(worker, worker.Send(harness.CreateMessage(1), "first"));
        await CompletedAsync(worker, worker.Send(harness.CreateMessage(1), "first"));
        SentMessage[] both = [worker.Send(harness.CreateMessage(2), "second"), worker.Send(harness.CreateMessage(2), "second")];

        foreach (SentMessage message in both)
        {
            await CompletedAsync(worker, message);
        }

        Require.Equal((await harness.ReadEffectsAsync()).Count, 2, "A redelivered message has the effect of one.");
    }

    /// <summary>Many concurrent messages are all completed, each with its effect.</summary>
    public async Task Handle_ManyConcurrently_EachHasItsEffectOnce()
    {
        await using TestWorker worker = await StartAsync();

        foreach (SentMessage message in SendMany(worker))
        {
            await CompletedAsync(worker, message);
        }

        await ShouldHaveManyEffectsAsync();
    }

    /// <summary>Messages that the handler must refuse are dead-lettered without an effect, and do not fail the messages that are handled with them.</summary>
    public async Task Handle_RefusedMessages_AreDeadLetteredAndTheirNeighboursCompleted()
    {
        await using TestWorker worker = await StartAsync();
        SentMessage[] valid = new SentMessage[harness.RefusedMessages.Count + 1];
        SentMessage[] refused = new SentMessage[harness.RefusedMessages.Count];
        for (int i = 0; i < refused.Length; i++)
        {
            valid[i] = worker.Send(harness.CreateMessage(i));
            refused[i] = worker.Send(harness.RefusedMessages[i]);
        }

        valid[^1] = worker.Send(harness.CreateMessage(refused.Length));

        foreach (SentMessage message in valid)
        {
            await CompletedAsync(worker, message);
        }

        foreach (SentMessage message in refused)
        {
            Settlement settlement = await worker.WhenSettledAsync(message);
            Require.Equal(settlement.Kind, SettlementKind.DeadLetter, "A message that can never succeed is dead-lettered.");
        }

        Require.Equal((await harness.ReadEffectsAsync()).Count, valid.Length, "A refused message has no effect.");
    }

    /// <summary>
    /// While the handler's store fails, no message is completed or dead-lettered; afterwards each is completed. Passes immediately where
    /// <see cref="HandlerHarness.CanFail"/> is false.
    /// </summary>
    public async Task Handle_WhileItsStoreFails_SettlesNothingAndEverythingAfterwards()
    {
        if (!harness.CanFail)
        {
            return;
        }

        await using TestWorker worker = await StartAsync();
        await harness.SetFailingAsync(true);
        SentMessage first = worker.Send(harness.CreateMessage(0));
        await first.WhenDelivered.WaitAsync(Limit);
        SentMessage[] rest = [.. Enumerable.Range(1, Many - 1).Select(number => worker.Send(harness.CreateMessage(number)))];
        await Task.WhenAny([.. rest.Select(message => message.WhenDelivered), first.WhenSettled]).WaitAsync(Limit);
        Require.Empty([.. rest.Append(first).Where(message => message.WhenSettled.IsCompleted)], "No message is settled while its effect cannot happen.");

        await harness.SetFailingAsync(false);

        foreach (SentMessage message in rest.Prepend(first))
        {
            await CompletedAsync(worker, message);
        }

        await ShouldHaveManyEffectsAsync();
    }

    /// <summary>When the worker stops in the middle, no message was completed without its effect, and sending every message again completes the rest.</summary>
    public async Task Stop_WithMessagesInFlight_NoneIsCompletedWithoutItsEffect()
    {
        await using (TestWorker worker = await StartAsync())
        {
            SentMessage[] sent = SendMany(worker);
            await Task.WhenAny(sent.Select(message => message.WhenDelivered)).WaitAsync(Limit);
            await worker.StopAsync();

            int completed = sent.Count(message => message.WhenSettled is { IsCompletedSuccessfully: true, Result.Kind: SettlementKind.Complete });
            int effects = (await harness.ReadEffectsAsync()).Count;
            Require.True(effects >= completed, $"{completed} messages were completed, but only {effects} have had their effect.");
        }

        await using TestWorker next = await StartAsync();
        foreach (SentMessage message in SendMany(next))
        {
            await CompletedAsync(next, message);
        }

        await ShouldHaveManyEffectsAsync();
    }

    private static async Task CompletedAsync(TestWorker worker, SentMessage message)
    {
        Settlement settlement = await worker.WhenSettledAsync(message);
        Require.Empty(
            [.. worker.Log.Entries.Where(entry => entry.Id.Id == UndecidedEvent).Select(entry => entry.Text)], "The handler decides about each message.");
        Require.Equal(settlement.Kind, SettlementKind.Complete, $"A valid message is completed. {settlement.Reason} {settlement.Description}");
    }

    private Task<TestWorker> StartAsync(int maxDeliveries = 1_000) => TestWorker.StartAsync(
        harness.Configure,
        [
            new("Routes:contract:Handler", harness.Handler),

            // A failing store is retried soon, and 1,000 deliveries are enough that no unknown error becomes a dead letter.
            new("Recoverability:BackoffBase", "1ms"),
            new("Recoverability:BackoffCap", "20ms"),
            new("Recoverability:MaxDeliveries", maxDeliveries.ToString(CultureInfo.InvariantCulture)),
            new("Recoverability:BreakerOpen", "100ms"),
            .. harness.Configuration,
        ]);

    private SentMessage[] SendMany(TestWorker worker) =>
        [.. Enumerable.Range(0, Many).Select(number => worker.Send(harness.CreateMessage(number), $"message-{number}"))];

    private async Task ShouldHaveManyEffectsAsync()
    {
        IReadOnlyList<string> effects = await harness.ReadEffectsAsync();
        Require.Equal(effects.Count, Many, "Each message has its effect once.");
        Require.Equal(effects.Distinct(StringComparer.Ordinal).Count(), Many, "Different messages have different effects.");
    }
}
