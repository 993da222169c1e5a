using Messaging.Configuration;

namespace Messaging.Hosting;

/// <summary>Section <c>Hosting</c>: the process.</summary>
internal sealed class HostingOptions
{
    public const string Section = "Hosting";

    [Setting("Time after SIGTERM to finish what is being worked on; what is left is returned to its source", Min = "0s", Max = "10m", Consequence = "It must end before the supervisor kills the process.")]
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(25);

    [Setting("How often the worker logs what each route has done since (received, stored, dead-lettered, abandoned, in flight); a route in which nothing happens logs nothing, 0s turns it off", Min = "0s", Max = "24h")]
    public TimeSpan ReportEvery { get; set; } = TimeSpan.FromSeconds(10);
}
