using System.Collections.Concurrent;
using System.Threading.Channels;

namespace Lab.Techniques.Envelopes;

/// <summary>Envelopes through a queue, counted where the message is the expected one.</summary>
internal static class Mail
{
    // The order of magnitude of a mailbox under load; further envelopes wait for space.
    private const int Capacity = 1_024;

    private static readonly object Sender = new();
    private static readonly object Message = new();

    public static int StructsOnOneThread(int envelopes)
    {
        ConcurrentQueue<StructEnvelope> queue = new();
        for (int sent = 0; sent < envelopes; sent++)
        {
            queue.Enqueue(new StructEnvelope(Message, Sender));
        }

        return Drain(queue);
    }

    public static int ClassesOnOneThread(int envelopes)
    {
        ConcurrentQueue<ClassEnvelope> queue = new();
        for (int sent = 0; sent < envelopes; sent++)
        {
            queue.Enqueue(new ClassEnvelope(Message, Sender));
        }

        return Drain(queue);
    }

    /// <summary>One envelope created beforehand, sent repeatedly.</summary>
    public static int OneObjectOnOneThread(int envelopes)
    {
        ConcurrentQueue<ClassEnvelope> queue = new();
        ClassEnvelope envelope = new(Message, Sender);
        for (int sent = 0; sent < envelopes; sent++)
        {
            queue.Enqueue(envelope);
        }

        return Drain(queue);
    }

    /// <summary>A struct in a queue of the interface type: boxed.</summary>
    public static int BoxesOnOneThread(int envelopes)
    {
        ConcurrentQueue<IEnvelope> queue = new();
        for (int sent = 0; sent < envelopes; sent++)
        {
            queue.Enqueue(new StructEnvelope(Message, Sender));
        }

        return Drain(queue);
    }

    public static Task<int> StructsAcrossThreadsAsync(int envelopes) => AcrossAsync(envelopes, static () => new StructEnvelope(Message, Sender));

    public static Task<int> ClassesAcrossThreadsAsync(int envelopes) => AcrossAsync(envelopes, static () => new ClassEnvelope(Message, Sender));

    private static int Drain<T>(ConcurrentQueue<T> queue)
        where T : IEnvelope
    {
        int found = 0;
        while (queue.TryDequeue(out T? envelope))
        {
            found += ReferenceEquals(envelope.Message, Message) && ReferenceEquals(envelope.Sender, Sender) ? 1 : 0;
        }

        return found;
    }

    private static async Task<int> AcrossAsync<T>(int envelopes, Func<T> make)
        where T : IEnvelope
    {
        Channel<T> channel = Channel.CreateBounded<T>(new BoundedChannelOptions(Capacity) { SingleReader = true, SingleWriter = true });
        Task<int> taking = Task.Run(async () =>
        {
            int found = 0;
            while (await channel.Reader.WaitToReadAsync())
            {
                while (channel.Reader.TryRead(out T? envelope))
                {
                    found += ReferenceEquals(envelope.Message, Message) && ReferenceEquals(envelope.Sender, Sender) ? 1 : 0;
                }
            }

            return found;
        });
        for (int sent = 0; sent < envelopes; sent++)
        {
            T envelope = make();
            if (!channel.Writer.TryWrite(envelope))
            {
                await channel.Writer.WriteAsync(envelope);
            }
        }

        channel.Writer.Complete();
        return await taking;
    }
}
