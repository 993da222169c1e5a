using System.Reflection;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.RabbitMq;
using Quayside.Pipeline.Settlements;
using RabbitMQ.Client;

namespace Worker.Tests.RabbitMq;

/// <summary>A frame that acknowledges several deliveries must cover completed ones only.</summary>
public sealed class AcknowledgementsTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    public async Task Settle_InAnyOrder_TheBrokerSeesWhatWasDecided(int seed)
    {
        Random random = new(seed);
        Broker broker = new();
        RabbitMqSession session = broker.Open();
        List<RabbitMqMessage> held = [];
        for (ulong tag = 1; tag <= 2_000; tag++)
        {
            RabbitMqMessage message = broker.Deliver(session, tag);
            session.Add(message);
            held.Add(message);
            while (held.Count > random.Next(1, 100))
            {
                int at = random.Next(held.Count);
                RabbitMqMessage one = held[at];
                held.RemoveAt(at);
                bool isCompleted = random.Next(4) != 0;
                (isCompleted ? broker.Completed : broker.Returned).Add(one.Tag);
                await one.SettleAsync(isCompleted ? Settlement.Complete : Settlement.Abandon(TimeSpan.Zero), TestContext.Current.CancellationToken);
            }
        }

        await session.CloseAsync(TestContext.Current.CancellationToken);

        broker.Mistakes.ShouldBeEmpty();
        broker.Unacknowledged.Order().ShouldBe(held.Select(message => message.Tag).Order());
        broker.Frames.ShouldBeLessThan(2_000);
    }

    [Fact]
    public async Task Complete_OnlyMessageInFlight_IsAcknowledgedImmediately()
    {
        Broker broker = new();
        RabbitMqSession session = broker.Open();
        RabbitMqMessage message = broker.Deliver(session, 1);
        session.Add(message);
        broker.Completed.Add(1);

        await message.SettleAsync(Settlement.Complete, TestContext.Current.CancellationToken);

        broker.Unacknowledged.ShouldBeEmpty();
    }

    [Fact]
    public async Task Complete_OthersAreInFlight_WaitsForThemAndForNoLongerThanItsTime()
    {
        Broker broker = new();
        RabbitMqSession session = broker.Open();
        RabbitMqMessage[] messages = [.. Enumerable.Range(1, 10).Select(tag => broker.Deliver(session, (ulong)tag))];
        Array.ForEach(messages, session.Add);
        broker.Completed.UnionWith([2, 3]);

        await messages[1].SettleAsync(Settlement.Complete, TestContext.Current.CancellationToken);
        await messages[2].SettleAsync(Settlement.Complete, TestContext.Current.CancellationToken);
        broker.Unacknowledged.Count.ShouldBe(10);
        broker.Time.Advance(TimeSpan.FromMilliseconds(5));

        broker.Unacknowledged.Count.ShouldBe(8);
        broker.Mistakes.ShouldBeEmpty();
    }

    [Fact]
    public async Task Return_WithADelay_KeepsTheMessageUntilThen()
    {
        Broker broker = new();
        RabbitMqSession session = broker.Open();
        RabbitMqMessage[] messages = [broker.Deliver(session, 1), broker.Deliver(session, 2)];
        Array.ForEach(messages, session.Add);
        broker.Completed.Add(2);

        await messages[0].SettleAsync(Settlement.Abandon(TimeSpan.FromSeconds(3)), TestContext.Current.CancellationToken);
        await messages[1].SettleAsync(Settlement.Complete, TestContext.Current.CancellationToken);
        broker.Time.Advance(TimeSpan.FromSeconds(2));
        broker.Unacknowledged.ShouldBe([1ul]);
        broker.Returned.Add(1);
        broker.Time.Advance(TimeSpan.FromSeconds(1));

        await broker.EmptyAsync();
        broker.Mistakes.ShouldBeEmpty();
    }

    /// <summary>What a broker would do with the frames of one channel.</summary>
    private sealed class Broker
    {
        private readonly Lock _gate = new();
        private TaskCompletionSource? _emptied;

        public ManualTimeProvider Time { get; } = new();

        public SortedSet<ulong> Unacknowledged { get; } = [];

        public HashSet<ulong> Completed { get; } = [];

        public HashSet<ulong> Returned { get; } = [];

        public List<string> Mistakes { get; } = [];

        public int Frames { get; private set; }

        public RabbitMqSession Open()
        {
            RabbitMqSourceOptions options = new() { Queue = "q" };
            RabbitMqLog log = new(NullLogger.Instance, "r", Time);
            return new RabbitMqSession(options, Fake.Create<IConnection>(this), Fake.Create<IChannel>(this), new DeadLetterPublisher(options, log, Time), new ReturnCounts(), Time, log);
        }

        public RabbitMqMessage Deliver(RabbitMqSession session, ulong tag)
        {
            lock (_gate)
            {
                Unacknowledged.Add(tag);
            }

            return new RabbitMqMessage(session, tag, redelivered: false, "q", new BasicProperties { MessageId = $"{tag}" }, "{}"u8);
        }

        public void Receive(string method, ulong tag, bool multiple)
        {
            lock (_gate)
            {
                Frames++;
                HashSet<ulong> decided = method == "BasicAckAsync" ? Completed : Returned;
                ulong[] tags = multiple ? [.. Unacknowledged.Where(one => one <= tag)] : [tag];
                if (!Unacknowledged.Contains(tag))
                {
                    Mistakes.Add($"{method} of unknown tag {tag}");
                }

                Mistakes.AddRange(tags.Where(one => !decided.Contains(one)).Select(one => $"{method} of {one} with {tag}"));
                Unacknowledged.ExceptWith(tags);
                if (Unacknowledged.Count == 0)
                {
                    _emptied?.TrySetResult();
                }
            }
        }

        /// <summary>Waits until every delivery is decided.</summary>
        public Task EmptyAsync()
        {
            lock (_gate)
            {
                if (Unacknowledged.Count == 0)
                {
                    return Task.CompletedTask;
                }

                _emptied = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                return _emptied.Task.WaitAsync(TestContext.Current.CancellationToken);
            }
        }
    }

    private class Fake : DispatchProxy
    {
        private Broker? _broker;

        public static T Create<T>(Broker broker)
            where T : class
        {
            T proxy = Create<T, Fake>();
            ((Fake)(object)proxy)._broker = broker;
            return proxy;
        }

        protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
        {
            if (targetMethod!.Name is "BasicAckAsync" or "BasicRejectAsync")
            {
                _broker!.Receive(targetMethod.Name, (ulong)args![0]!, targetMethod.Name == "BasicAckAsync" && (bool)args[1]!);
            }

            return targetMethod.ReturnType == typeof(Task) ? Task.CompletedTask : targetMethod.ReturnType == typeof(ValueTask) ? default(ValueTask) : null;
        }
    }
}
