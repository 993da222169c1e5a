using System.Diagnostics;
using System.Text.Json;

namespace Benchmarks.Sockets.Receiving;

/// <summary>A sending process: sends on its own thread, prints samples like a receiver, and stops when told to.</summary>
internal static class SenderLoop
{
    /// <summary>The line that ends the sending.</summary>
    public const string Stop = "stop";

    /// <param name="send">Sends some messages and returns how many.</param>
    /// <param name="rate">Messages per second; 0 for as many as possible.</param>
    public static void Run(Func<int> send, long rate)
    {
        long sent = 0;
        bool stop = false;
        Thread sending = new(() =>
        {
            long started = Stopwatch.GetTimestamp();
            while (!Volatile.Read(ref stop))
            {
                if (rate > 0 && sent > Stopwatch.GetElapsedTime(started).TotalSeconds * rate)
                {
                    Thread.Yield();
                    continue;
                }

                Volatile.Write(ref sent, sent + send());
            }
        })
        {
            IsBackground = true,
        };
        sending.Start();
        Console.Out.WriteLine("sending");
        while (Console.In.ReadLine() is { } line)
        {
            if (line == Stop)
            {
                Volatile.Write(ref stop, true);
                sending.Join();
            }

            Console.Out.WriteLine(
                JsonSerializer.Serialize(new ReceiverSample(Stopwatch.GetTimestamp() / (double)Stopwatch.Frequency, Volatile.Read(ref sent), 0, 0)));
        }
    }
}
