namespace Benchmarks.Bytes;

/// <summary>Counts the bytes allocated per message on the thread that runs it: exact, and the same on every machine with one runtime version.</summary>
internal static class ByteMeter
{
    // The compiler's last tier may move an allocation to the stack, so the code must have reached it. That happens on a background thread, after
    // some 100 ms without new code. Two counts in a row must agree.
    private const int MaxRounds = 40;

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(120);

    /// <returns>Bytes per message.</returns>
    /// <exception cref="InvalidOperationException">The counts did not become steady.</exception>
    public static long Measure(ByteCase measured)
    {
        Action run = measured.Prepare();
        long last = -1;
        int same = 0;
        for (int round = 0; round < MaxRounds; round++)
        {
            long bytes = Round(run, measured.MessagesARun, measured.MessagesARound);
            same = bytes == last ? same + 1 : 0;
            if (same == 2)
            {
                return bytes;
            }

            last = bytes;
            Task.Delay(Pause).Wait();
        }

        throw new InvalidOperationException($"{measured.Name}: the bytes per message did not become steady; last {last}.");
    }

    private static long Round(Action run, int messagesARun, int messages)
    {
        int sent = 0;
        long before = GC.GetAllocatedBytesForCurrentThread();
        while (sent < messages)
        {
            run();
            sent += messagesARun;
        }

        return (long)Math.Round((double)(GC.GetAllocatedBytesForCurrentThread() - before) / sent);
    }
}
