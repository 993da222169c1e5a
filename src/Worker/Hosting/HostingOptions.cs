using Worker.Configuration;

namespace Worker.Hosting;

/// <summary>Section <c>Hosting</c>: the process.</summary>
internal sealed class HostingOptions : ISelfValidating
{
    [Setting("Address of the HTTP source and the health pages; loopback unless you say otherwise, port 0 picks a free one")]
    public Uri Url { get; set; } = new("http://127.0.0.1:8080");

    [Setting("Time after SIGTERM to finish what is being worked on; what is left goes back to its source", Min = "0s", Max = "10m", Consequence = "It must end before the supervisor kills the process.")]
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(25);

    [Setting("How often the worker logs what each route has done since (received, stored, dead-lettered, abandoned, in flight); a route in which nothing happens logs nothing, 0s turns it off", Min = "0s", Max = "24h")]
    public TimeSpan ReportEvery { get; set; } = TimeSpan.FromSeconds(10);

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
    }
}
