using Lab.Techniques.Channels;
using Lab.Techniques.Collectors;
using Lab.Techniques.Envelopes;
using Lab.Techniques.Mailboxes;
using Lab.Techniques.WorkItems;

namespace Lab.Tests.Techniques;

/// <summary>Every way to pass items between threads delivers each item once and in order, for any count.</summary>
public sealed class ThreadTechniqueTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(ProducerConsumer.Capacity)]
    [InlineData(ProducerConsumer.Capacity + 1)]
    [InlineData(30_000)]
    public async Task ProducerConsumer_AnyCount_EveryVariantGivesTheSum(int items)
    {
        long sum = items * (items - 1L) / 2;
        foreach (Func<int, Task<long>> way in (Func<int, Task<long>>[])[ProducerConsumer.LockedQueueAsync, ProducerConsumer.BlockingCollectionAsync, ProducerConsumer.BoundedChannelAsync, ProducerConsumer.UnboundedChannelAsync])
        {
            (await way(items).WaitAsync(Limit)).ShouldBe(sum);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(5_000)]
    public async Task Mail_AnyCount_EveryEnvelopeArrives(int envelopes)
    {
        int[] found =
        [
            Mail.StructsOnOneThread(envelopes), Mail.OneObjectOnOneThread(envelopes), Mail.ClassesOnOneThread(envelopes), Mail.BoxesOnOneThread(envelopes),
            await Mail.StructsAcrossThreadsAsync(envelopes).WaitAsync(Limit), await Mail.ClassesAcrossThreadsAsync(envelopes).WaitAsync(Limit),
        ];
        found.ShouldAllBe(one => one == envelopes);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(99)]
    [InlineData(5_001)]
    public async Task Post_AnyCount_EveryMailboxKeepsTheOrder(int count)
    {
        object[] messages = [.. Enumerable.Range(0, count).Select(_ => new object())];
        foreach (IMailbox mailbox in (IMailbox[])[new ConcurrentQueueMailbox(), new LockedListMailbox(), new LockedQueueMailbox(), new ChannelMailbox()])
        {
            Post.OnOneThread(mailbox, messages).ShouldBe(count);
            (await Post.AcrossThreadsAsync(mailbox, messages).WaitAsync(Limit)).ShouldBe(count);
            mailbox.TryTake(out _).ShouldBeFalse();
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3_000)]
    public async Task WorkItems_EveryWay_RunsEveryPiece(int pieces)
    {
        foreach (QueueWay way in Enum.GetValues<QueueWay>())
        {
            (await HopJob.RunAsync(way, pieces).WaitAsync(Limit)).ShouldBe(pieces);
            (await FanOutJob.RunAsync(way, pieces).WaitAsync(Limit)).ShouldBe(pieces);
        }
    }

    [Theory]
    [InlineData(2)]
    [InlineData(998)]
    [InlineData(4_000)]
    public async Task MessageLoad_AnyCount_EveryMessageKeepsItsBytes(int messages)
    {
        (await MessageLoad.AllocatingAsync(messages).WaitAsync(Limit)).ShouldBe(messages);
        (await MessageLoad.PooledAsync(messages).WaitAsync(Limit)).ShouldBe(messages);
    }
}
