using Quayside.Messaging.Http.Source;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Http.Source;

public sealed class HttpRedeliveriesTests
{
    private static readonly byte[] Id = "id"u8.ToArray();
    private static readonly byte[] Body = "{}"u8.ToArray();

    private readonly ManualTimeProvider _time = new();

    [Fact]
    public void Count_SentAgainAfterRetryAfter_IsTheNextDelivery()
    {
        HttpRedeliveries redeliveries = new(_time);
        for (int delivery = 1; delivery <= 4; delivery++)
        {
            redeliveries.Count(Id, Body, out _).ShouldBe(delivery);
            redeliveries.Settled(Id, Body, delivery, Settlement.Abandon(TimeSpan.FromSeconds(2)));
            _time.Advance(TimeSpan.FromSeconds(2));
        }
    }

    [Fact]
    public void Count_SentAgainTooEarly_IsTheSameDelivery()
    {
        HttpRedeliveries redeliveries = new(_time);
        redeliveries.Settled(Id, Body, 1, Settlement.Abandon(TimeSpan.FromMilliseconds(1)));

        for (int i = 0; i < 100; i++)
        {
            redeliveries.Count(Id, Body, out _).ShouldBe(1);
        }

        // Retry-After is at least one whole second.
        _time.Advance(TimeSpan.FromSeconds(1));
        redeliveries.Count(Id, Body, out _).ShouldBe(2);
    }

    [Fact]
    public void Count_AnotherIdOrBody_IsTheFirst()
    {
        HttpRedeliveries redeliveries = new(_time);
        redeliveries.Settled(Id, Body, 5, Settlement.Abandon(TimeSpan.Zero));
        _time.Advance(TimeSpan.FromSeconds(1));

        redeliveries.Count("other"u8, Body, out _).ShouldBe(1);
        redeliveries.Count(Id, "[]"u8, out _).ShouldBe(1);
        redeliveries.Count(Id, Body, out _).ShouldBe(6);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Settled_Finally_IsForgotten(bool isStored)
    {
        HttpRedeliveries redeliveries = new(_time);
        redeliveries.Settled(Id, Body, 1, Settlement.Abandon(TimeSpan.Zero));
        _time.Advance(TimeSpan.FromSeconds(1));

        redeliveries.Settled(Id, Body, 2, isStored ? Settlement.Complete : Settlement.DeadLetter("r", "d"));

        redeliveries.Count(Id, Body, out _).ShouldBe(1);
    }

    [Fact]
    public void Count_AfterADay_IsTheFirst()
    {
        HttpRedeliveries redeliveries = new(_time);
        redeliveries.Settled(Id, Body, 1, Settlement.Abandon(TimeSpan.FromSeconds(1)));

        _time.Advance(HttpRedeliveries.Lifetime + TimeSpan.FromSeconds(1));

        redeliveries.Count(Id, Body, out _).ShouldBe(1);
    }

    [Fact]
    public void Count_AsManyMessagesAsTheCapacity_RemembersEach()
    {
        HttpRedeliveries redeliveries = new(_time, capacity: 100);
        for (int i = 0; i < 100; i++)
        {
            redeliveries.Settled(BitConverter.GetBytes(i), Body, 1, Settlement.Abandon(TimeSpan.Zero));
        }

        _time.Advance(TimeSpan.FromSeconds(1));

        Enumerable.Range(0, 100).Select(i => redeliveries.Count(BitConverter.GetBytes(i), Body, out _)).ShouldAllBe(delivery => delivery == 2);
    }

    [Fact]
    public void Count_FewerMessagesThanTheCapacityInTurn_CountsTheDeliveriesOfEach()
    {
        HttpRedeliveries redeliveries = new(_time, capacity: 100);
        for (int delivery = 1; delivery <= 10; delivery++)
        {
            for (int i = 0; i < 80; i++)
            {
                redeliveries.Count(BitConverter.GetBytes(i), Body, out _).ShouldBe(delivery);
                redeliveries.Settled(BitConverter.GetBytes(i), Body, delivery, Settlement.Abandon(TimeSpan.Zero));
            }

            _time.Advance(TimeSpan.FromSeconds(1));
        }
    }

    [Fact]
    public void Settled_MoreThanTheCapacity_ForgetsTheOldest()
    {
        HttpRedeliveries redeliveries = new(_time, capacity: 100);
        for (int i = 0; i < 1_000; i++)
        {
            redeliveries.Settled(BitConverter.GetBytes(i), Body, 1, Settlement.Abandon(TimeSpan.Zero));
        }

        _time.Advance(TimeSpan.FromSeconds(1));
        redeliveries.Count(BitConverter.GetBytes(0), Body, out _).ShouldBe(1);
        Enumerable.Range(950, 50).All(i => CountOf(i) == 2).ShouldBeTrue();
        Enumerable.Range(0, 1_000).Count(i => CountOf(i) == 2).ShouldBeLessThanOrEqualTo(100);

        int CountOf(int id) => redeliveries.Count(BitConverter.GetBytes(id), Body, out _);
    }

    [Fact]
    public void Count_SeveralDeliveries_KeepsTheTimeOfTheFirst()
    {
        HttpRedeliveries redeliveries = new(_time);
        DateTimeOffset began = _time.GetUtcNow();
        redeliveries.Count(Id, Body, out DateTimeOffset? first).ShouldBe(1);
        first.ShouldBeNull();
        for (int delivery = 1; delivery <= 3; delivery++)
        {
            redeliveries.Settled(Id, Body, delivery, Settlement.Abandon(TimeSpan.FromSeconds(2)), first);
            _time.Advance(TimeSpan.FromSeconds(2));
            redeliveries.Count(Id, Body, out first).ShouldBe(delivery + 1);
            first.ShouldBe(began);
        }
    }
}
