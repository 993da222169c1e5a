using System.Net;
using Messaging.Configuration;

namespace Messaging.Hosting;

/// <summary>Section <c>Hosting</c>: the process.</summary>
internal sealed class HostingOptions : ISelfValidating
{
    /// <summary>The section.</summary>
    public static SettingsSection Settings { get; } = SettingsSection.Of<HostingOptions>("Hosting", check: static (hosting, settings) =>
        settings.Endpoints.Add("tcp", new IPEndPoint(hosting.Address, Math.Max(hosting.Url.Port, 0)), "the web server (Hosting:Url)"));

    [Setting("Address of the HTTP source and the health pages; loopback unless you say otherwise, port 0 picks a free one")]
    public Uri Url { get; set; } = new("http://127.0.0.1:8080");

    [Setting("Hosts that requests may be sent to and whose pages may use the worker, besides loopback and the address of Url: names, addresses, *.example.com; * for every Host (pages of other origins stay refused). Where Url is 0.0.0.0 or [::], every address and every name without a dot is a Host too; others are answered with 403")]
    public string[] AllowedHosts { get; set; } = [];

    [Setting("HTTP connections at once; beyond it the one that has been idle longest is closed, and where all have requests, 16 more may read the health pages", Min = "1", Max = "100000",
        Consequence = "Each open connection takes memory and a descriptor.")]
    public int MaxConnections { get; set; } = 1_000;

    [Setting("Time from an HTTP connection to the end of its first request's headers", Min = "100ms", Max = "1h",
        Consequence = "Connections that send nothing stay open this long.")]
    public TimeSpan FirstRequestTimeout { get; set; } = TimeSpan.FromSeconds(10);

    [Setting("Time after SIGTERM to finish what is being worked on; what is left goes back to its source", Min = "0s", Max = "10m", Consequence = "It must end before the supervisor kills the process.")]
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(25);

    [Setting("How often the worker logs what each route has done since (received, stored, dead-lettered, abandoned, in flight); a route in which nothing happens logs nothing, 0s turns it off", Min = "0s", Max = "24h")]
    public TimeSpan ReportEvery { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>The address of <see cref="Url"/>; localhost is 127.0.0.1.</summary>
    public IPAddress Address => IPAddress.TryParse(Url.DnsSafeHost, out IPAddress? address) ? address : IPAddress.Loopback;

    public void Validate(SettingsCheck check)
    {
        if (Url.Scheme != Uri.UriSchemeHttp || Url.AbsolutePath != "/" || Url.Query.Length > 0)
        {
            check.Fail(nameof(Url), "must be http://address:port without a path; put TLS in front of the worker.");
        }

        if (Url.HostNameType == UriHostNameType.Dns && !Url.IsLoopback)
        {
            check.Fail(nameof(Url), "must name an IP address or localhost; 0.0.0.0 means every interface.");
        }

        if (Array.Find(AllowedHosts, host => Messaging.Http.Web.AllowedHosts.Normalize(host) is null) is { } wrong)
        {
            check.Fail(nameof(AllowedHosts), $"must be host names, addresses, *.example.com or * without scheme, port and path, separated by commas; '{wrong}' is none of these.", "Requests sent to it would be answered with 403.");
        }
    }
}
