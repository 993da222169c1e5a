namespace Lab.Techniques.Mailboxes;

/// <summary>Messages through a mailbox; they must be taken in the order in which they were posted.</summary>
internal static class Post
{
    // Messages that wait at a time on one thread.
    private const int Burst = 100;

    /// <returns>The number of messages taken in order.</returns>
    public static int OnOneThread(IMailbox mailbox, object[] messages)
    {
        int taken = 0;
        for (int at = 0; at < messages.Length; at += Burst)
        {
            int end = Math.Min(at + Burst, messages.Length);
            for (int next = at; next < end; next++)
            {
                mailbox.Post(messages[next]);
            }

            while (mailbox.TryTake(out object? message))
            {
                taken += ReferenceEquals(message, messages[taken]) ? 1 : 0;
            }
        }

        return taken;
    }

    /// <returns>The number of messages taken in order.</returns>
    public static async Task<int> AcrossThreadsAsync(IMailbox mailbox, object[] messages)
    {
        Task posting = Task.Run(() =>
        {
            foreach (object message in messages)
            {
                mailbox.Post(message);
            }
        });
        int taken = 0;
        SpinWait wait = default;
        for (int seen = 0; seen < messages.Length;)
        {
            if (mailbox.TryTake(out object? message))
            {
                taken += ReferenceEquals(message, messages[taken]) ? 1 : 0;
                seen++;
                wait.Reset();
            }
            else
            {
                wait.SpinOnce();
            }
        }

        await posting;
        return taken;
    }
}
