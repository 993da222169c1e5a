using Messaging.Configuration;

namespace Messaging.Hosting;

/// <summary>Section <c>Hosting</c>: the process.</summary>
internal sealed class HostingOptions
{
    public const string Section = "Hosting";

    [Setting("Time after SIGTERM to finish the messages in flight; unfinished ones are returned to their sources", Min = "0s", Max = "10m", Consequence = "It must end before the supervisor kills the process.")]
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(25);

    [Setting("Interval between progress lines in the log, one per route (received, stored, dead-lettered, abandoned, in flight); an idle route logs nothing, 0s turns them off", Min = "0s", Max = "24h")]
    public TimeSpan ReportEvery { get; set; } = TimeSpan.FromSeconds(10);
}
