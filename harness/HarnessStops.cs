namespace Harness;

/// <summary>The named stops, at which a profiler can be attached and snapshots can be taken.</summary>
internal static class HarnessStops
{
    public static readonly (string Default, string ServiceBus, string Next) Before = ("before publishing", "before send", "the messages are published next");
    public static readonly (string Default, string ServiceBus, string Next) BeforeBoth =
        ("before publishing", "before send", "the messages are published and processed next");
    public static readonly (string Default, string ServiceBus, string Next) Published = ("after publishing", "after send", "the messages are processed next");
    public static readonly (string Default, string ServiceBus, string Next) Processed =
        ("after processing", "after the countdown", "the harness reports and ends next");

    /// <summary>Waits for Enter, unless the run continues by itself.</summary>
    public static void Wait(HarnessOptions options, (string Default, string ServiceBus, string Next) stop)
    {
        if (!options.Wait)
        {
            return;
        }

        string name = options.IsServiceBus ? stop.ServiceBus : stop.Default;
        Console.Error.WriteLine($"[{name}] Attach the profiler and press Enter: process {Environment.ProcessId}; {stop.Next}.");
        Console.ReadLine();
    }
}
