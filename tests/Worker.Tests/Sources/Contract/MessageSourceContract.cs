using System.Collections.Concurrent;
using System.Text;
using Pipeline.Settlements;

namespace Worker.Tests.Sources.Contract;

/// <summary>What every source that redelivers must do. One subclass a source; the file has no other dependency than the worker itself.</summary>
public abstract class MessageSourceContract : IAsyncLifetime
{
    private SourceHarness? _harness;

    private SourceHarness Harness => _harness ?? throw new InvalidOperationException("The test has not begun.");

    public async ValueTask InitializeAsync() => _harness = await CreateAsync();

    public async ValueTask DisposeAsync()
    {
        await Harness.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    [Fact]
    public async Task Receive_AnyBody_ArrivesUnchanged()
    {
        await Harness.StartAsync();
        foreach (byte[] body in Bodies())
        {
            await Harness.PublishAsync(body);
            Delivery delivery = await Harness.Intake.NextAsync();

            delivery.Body.AsSpan().SequenceEqual(body).ShouldBeTrue($"A body of {body.Length} bytes arrived as {delivery.Body.Length} bytes or changed.");
            delivery.Id.ShouldNotBeEmpty();
            delivery.Count.ShouldBe(1);
            await delivery.SettleAsync(Settlement.Complete);
        }

        await Harness.FinishAsync();
    }

    [Fact]
    public async Task Receive_DifferentMessages_HaveDifferentIds()
    {
        await Harness.StartAsync();
        ConcurrentBag<string> ids = [];
        Harness.Intake.Script = delivery =>
        {
            ids.Add(delivery.Id);
            return Settlement.Complete;
        };
        for (int i = 0; i < 50; i++)
        {
            await Harness.PublishAsync(Encoding.UTF8.GetBytes($"{{\"n\":{i}}}"));
        }

        await Harness.WaitUntilEmptyAsync();

        ids.Distinct(StringComparer.Ordinal).Count().ShouldBe(50);
        await Harness.FinishAsync();
    }

    [Fact]
    public async Task Receive_GivenId_IsTheSourceId()
    {
        await Harness.StartAsync();
        await Harness.PublishAsync("{}"u8.ToArray(), "order-4711");

        Delivery delivery = await Harness.Intake.NextAsync();

        if (Harness.KeepsGivenIds)
        {
            delivery.Id.ShouldBe("order-4711");
        }

        await delivery.SettleAsync(Settlement.Complete);
        await Harness.FinishAsync();
    }

    [Fact]
    public async Task Complete_Message_IsGone()
    {
        await Harness.StartAsync();
        await Harness.PublishAsync("{}"u8.ToArray());

        await (await Harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);

        await Harness.WaitUntilEmptyAsync();
        await Harness.AdvanceAsync(Harness.AbandonDelay);
        await Harness.Intake.ShouldBeQuietAsync();
        (await Harness.DeadLettersAsync(expected: 0)).ShouldBeEmpty();
        await Harness.FinishAsync();
    }

    [Fact]
    public async Task Abandon_WithDelay_ComesAgainAfterItUnchanged()
    {
        byte[] body = "{\"Product\":\"p\"}"u8.ToArray();
        await Harness.StartAsync();
        await Harness.PublishAsync(body);
        Delivery first = await Harness.Intake.NextAsync();

        await first.SettleAsync(Settlement.Abandon(Harness.AbandonDelay, "try later"));

        await Harness.AdvanceAsync(Harness.AbandonDelay / 2);
        await Harness.Intake.ShouldBeQuietAsync();
        await Harness.AdvanceAsync(Harness.AbandonDelay / 2);
        Delivery second = await Harness.Intake.NextAsync();
        second.Body.ShouldBe(body);
        second.Id.ShouldBe(first.Id, "The id names the object, so it is the same on every delivery.");
        second.Count.ShouldBe(Harness.CountsDeliveries ? 2 : 1);
        await second.SettleAsync(Settlement.Complete);
        await Harness.WaitUntilEmptyAsync();
        await Harness.FinishAsync();
    }

    [Fact]
    public async Task Abandon_Repeatedly_IsNeverDropped()
    {
        await Harness.StartAsync();
        await Harness.PublishAsync("{}"u8.ToArray(), "stubborn");
        string? id = null;
        for (int attempt = 1; attempt <= 4; attempt++)
        {
            Delivery delivery = await Harness.Intake.NextAsync();
            delivery.Count.ShouldBe(Harness.CountsDeliveries ? attempt : 1);
            delivery.Id.ShouldBe(id ??= delivery.Id);
            await delivery.SettleAsync(Settlement.Abandon(TimeSpan.Zero));
            await Harness.AdvanceAsync(TimeSpan.FromSeconds(1));
        }

        await (await Harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await Harness.WaitUntilEmptyAsync();
        await Harness.FinishAsync();
    }

    [Fact]
    public async Task DeadLetter_Message_IsSetAsideWithItsReason()
    {
        byte[] body = "{\"broken\":"u8.ToArray();
        await Harness.StartAsync();
        await Harness.PublishAsync(body);
        Delivery delivery = await Harness.Intake.NextAsync();

        await delivery.SettleAsync(Settlement.DeadLetter("malformed-json", "The JSON ends too early."));

        DeadLettered letter = (await Harness.DeadLettersAsync(expected: 1)).ShouldHaveSingleItem();
        letter.Reason.ShouldBe("malformed-json");
        letter.Body.ShouldBe(body);
        letter.Id.ShouldBe(delivery.Id);
        await Harness.WaitUntilEmptyAsync();
        await Harness.AdvanceAsync(Harness.AbandonDelay);
        await Harness.Intake.ShouldBeQuietAsync();
        await Harness.FinishAsync();
    }

    [Fact]
    public async Task Receive_MoreUnreadableBodiesThanSlots_AreDeadLetteredAndTheRestFlows()
    {
        const int Slots = 4;
        const int Unreadable = 2 * Slots;
        const int Readable = Slots;
        await using UnreadableBodies route = new(Slots);
        await Harness.StartAsync(route);
        for (int i = 0; i < Unreadable; i++)
        {
            await Harness.PublishAsync(Encoding.UTF8.GetBytes($"{UnreadableBodies.Mark} {i}"));
        }

        for (int i = 0; i < Readable; i++)
        {
            await Harness.PublishAsync(Encoding.UTF8.GetBytes($"{{\"n\":{i}}}"));
        }

        for (int attempt = 0; route.Totals.Stored < Readable || route.Totals.DeadLetters < Unreadable; attempt++)
        {
            attempt.ShouldBeLessThan(2_000, $"The messages should have been settled, but the route counts {route.Totals}.");
            await Harness.AdvanceAsync(TimeSpan.FromMilliseconds(100));
            await Task.Delay(10);
        }

        IReadOnlyList<DeadLettered> letters = await Harness.DeadLettersAsync(Unreadable);
        letters.ShouldAllBe(letter => letter.Reason == UnreadableBodies.Reason);
        letters.Select(letter => Encoding.UTF8.GetString(letter.Body)).ShouldBe(Enumerable.Range(0, Unreadable).Select(i => $"{UnreadableBodies.Mark} {i}"), ignoreOrder: true);
        await Harness.FinishAsync();
    }

    [Fact]
    public async Task Settle_Twice_Throws()
    {
        await Harness.StartAsync();
        await Harness.PublishAsync("{}"u8.ToArray());
        Delivery delivery = await Harness.Intake.NextAsync();
        await delivery.SettleAsync(Settlement.Complete);

        await Should.ThrowAsync<InvalidOperationException>(async () => await delivery.Message.SettleAsync(Settlement.Complete, CancellationToken.None));

        await Harness.FinishAsync();
    }

    [Fact]
    public async Task Settle_Undecided_ThrowsAndLeavesTheMessageToItsOwner()
    {
        await Harness.StartAsync();
        await Harness.PublishAsync("{}"u8.ToArray());
        Delivery delivery = await Harness.Intake.NextAsync();

        await Should.ThrowAsync<InvalidOperationException>(async () => await delivery.Message.SettleAsync(default, CancellationToken.None));

        await delivery.SettleAsync(Settlement.Complete);
        await Harness.WaitUntilEmptyAsync();
        await Harness.FinishAsync();
    }

    [Fact]
    public async Task Settle_ManyMessagesAtOnce_EachEndsOnceAsDecided()
    {
        const int Messages = 1_000;
        ConcurrentDictionary<string, int> completed = new(StringComparer.Ordinal);
        Harness.Intake.Script = delivery =>
        {
            int n = int.Parse(Encoding.UTF8.GetString(delivery.Body).AsSpan(5).TrimEnd('}'));
            if (n % 50 == 7)
            {
                return Settlement.DeadLetter("test-reason", "Every fiftieth.");
            }

            completed.AddOrUpdate(delivery.Id, 1, (_, times) => times + 1);
            return Settlement.Complete;
        };
        await Harness.StartAsync();
        await Parallel.ForAsync(0, Messages, new ParallelOptions { MaxDegreeOfParallelism = 8 }, async (n, _) =>
            await Harness.PublishAsync(Encoding.UTF8.GetBytes($"{{\"n\":{n}}}"), $"many-{n}"));

        await Harness.WaitUntilEmptyAsync();

        completed.Count.ShouldBe(Messages - (Messages / 50));
        completed.Values.ShouldAllBe(times => times == 1);
        (await Harness.DeadLettersAsync(Messages / 50)).Select(letter => letter.Id).Distinct(StringComparer.Ordinal).Count().ShouldBe(Messages / 50);
        Harness.Intake.MostUnsettled.ShouldBeLessThanOrEqualTo(64);
        await Harness.FinishAsync();
    }

    [Fact]
    public async Task Receive_PausedIntake_TakesNothingUntilResumed()
    {
        Harness.Intake.Pause();
        await Harness.StartAsync();
        await Harness.PublishAsync("{}"u8.ToArray());

        await Harness.Intake.ShouldBeQuietAsync();
        Harness.Intake.Accepted.ShouldBe(0);

        Harness.Intake.Resume();
        await Harness.AdvanceAsync(TimeSpan.FromSeconds(6));
        await (await Harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await Harness.WaitUntilEmptyAsync();
        await Harness.FinishAsync();
    }

    [Fact]
    public async Task Stop_WhileWaitingForMessages_Returns()
    {
        await Harness.StartAsync();
        await Harness.Intake.ShouldBeQuietAsync();

        await Harness.StopReceivingAsync();

        Harness.Receiving.IsCompletedSuccessfully.ShouldBeTrue();
        await Harness.FinishAsync();
    }

    [Fact]
    public async Task Stop_WhileWaitingForASlot_Returns()
    {
        Harness.Intake.Pause();
        await Harness.StartAsync();
        await Harness.PublishAsync("{}"u8.ToArray());
        await Harness.Intake.ShouldBeQuietAsync();

        await Harness.StopReceivingAsync();

        Harness.Receiving.IsCompletedSuccessfully.ShouldBeTrue();
        Harness.Intake.Accepted.ShouldBe(0);
        Harness.Intake.Script = _ => Settlement.Complete;
        Harness.Intake.Resume();
        await Harness.FinishAsync();
    }

    [Fact]
    public async Task Stop_WithMessagesInWork_TheyCanStillBeSettled()
    {
        await Harness.StartAsync();
        List<Delivery> inWork = [];
        for (int i = 0; i < 10; i++)
        {
            await Harness.PublishAsync(Encoding.UTF8.GetBytes($"{{\"n\":{i}}}"));
            inWork.Add(await Harness.Intake.NextAsync());
        }

        await Harness.StopReceivingAsync();

        foreach (Delivery delivery in inWork)
        {
            await delivery.SettleAsync(Settlement.Complete);
        }

        await Harness.WaitUntilEmptyAsync();
        await Harness.FinishAsync();
    }

    private protected abstract ValueTask<SourceHarness> CreateAsync();

    private IEnumerable<byte[]> Bodies()
    {
        yield return "x"u8.ToArray();
        yield return "{\"a\":\"\u00e4\u20ac\"}"u8.ToArray();
        if (Harness.AllowsSupplementaryCharacters)
        {
            yield return "{\"a\":\"\ud83d\ude00\"}"u8.ToArray();
        }

        yield return [.. Enumerable.Repeat((byte)'y', 4_096)];
        yield return [.. Enumerable.Range(0, Harness.MaxBodyBytes - 1).Select(i => (byte)('a' + (i % 26)))];
        yield return [.. Enumerable.Repeat((byte)'z', Harness.MaxBodyBytes)];
        if (Harness.AllowsEmptyBodies)
        {
            yield return [];
        }

        if (Harness.AllowsAnyBytes)
        {
            yield return [.. Enumerable.Range(0, 256).Select(value => (byte)value)];
            yield return [0xC0, 0xAF, 0xED, 0xA0, 0x80, 0xFF, 0xFE, 0x00];
            yield return [(byte)'\r', (byte)'\n'];
        }
    }
}
