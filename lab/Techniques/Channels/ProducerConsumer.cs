using System.Collections.Concurrent;
using System.Threading.Channels;

namespace Lab.Techniques.Channels;

/// <summary>The numbers below a count go from one task to another and are added up there; at most <see cref="Capacity"/> wait between them.</summary>
internal static class ProducerConsumer
{
    public const int Capacity = 1_024;

    public static async Task<long> LockedQueueAsync(int items)
    {
        LockedQueue<int> queue = new(Capacity);
        Task<long> taking = Task.Run(() =>
        {
            long sum = 0;
            for (int taken = 0; taken < items; taken++)
            {
                sum += queue.Dequeue();
            }

            return sum;
        });
        for (int item = 0; item < items; item++)
        {
            queue.Enqueue(item);
        }

        return await taking;
    }

    public static async Task<long> BlockingCollectionAsync(int items)
    {
        using BlockingCollection<int> queue = new(Capacity);
        Task<long> taking = Task.Run(() => queue.GetConsumingEnumerable().Sum(item => (long)item));
        for (int item = 0; item < items; item++)
        {
            queue.Add(item);
        }

        queue.CompleteAdding();
        return await taking;
    }

    public static Task<long> BoundedChannelAsync(int items) =>
        ChannelAsync(Channel.CreateBounded<int>(new BoundedChannelOptions(Capacity) { SingleReader = true, SingleWriter = true }), items);

    /// <summary>Without a bound: the writer never waits.</summary>
    public static Task<long> UnboundedChannelAsync(int items) =>
        ChannelAsync(Channel.CreateUnbounded<int>(new UnboundedChannelOptions { SingleReader = true, SingleWriter = true }), items);

    private static async Task<long> ChannelAsync(Channel<int> channel, int items)
    {
        Task<long> taking = Task.Run(async () =>
        {
            long sum = 0;
            while (await channel.Reader.WaitToReadAsync())
            {
                while (channel.Reader.TryRead(out int item))
                {
                    sum += item;
                }
            }

            return sum;
        });
        for (int item = 0; item < items; item++)
        {
            if (!channel.Writer.TryWrite(item))
            {
                await channel.Writer.WriteAsync(item);
            }
        }

        channel.Writer.Complete();
        return await taking;
    }
}
