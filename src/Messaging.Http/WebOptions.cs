using System.Net;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Http;

/// <summary>The settings of the web server, in the section <c>Hosting</c>; the process has further keys there.</summary>
internal sealed class WebOptions : ISelfValidating
{
    public const string Section = "Hosting";

    /// <summary>The section. It claims the server's endpoint first, so that an overlapping source is reported.</summary>
    public static SettingsSection Settings { get; } = SettingsSection.Of<WebOptions>(Section, check: static (web, settings) =>
        settings.Endpoints.Add("tcp", new IPEndPoint(web.Address, Math.Max(web.Url.Port, 0)), $"the web server ({Section}:{nameof(Url)})"));

    [Setting("Address of the HTTP source, the page, its API, /metrics and the health pages; loopback by default, port 0 picks a free one")]
    public Uri Url { get; set; } = new("http://127.0.0.1:8080");

    [Setting(
        "Hosts that requests may name and whose pages may use the worker, besides loopback and the address of Url: names, addresses, *.example.com; * for "
            + "every Host (pages of other origins stay refused). If Url is 0.0.0.0 or [::], every address and every name without a dot is allowed as Host too. "
            + "Other requests are answered with 403")]
    public string[] AllowedHosts { get; set; } = [];

    [Setting(
        "Maximum open HTTP connections; beyond that the one idle longest is closed, then the one whose body has been arriving longest; if all have requests, "
            + "16 more may read the health pages and /metrics", Min = "1", Max = "100000",
        Consequence = "Each open connection takes memory and a descriptor.", Advanced = true)]
    public int MaxConnections { get; set; } = 1_000;

    [Setting("Time from an HTTP connection to the end of its first request's headers", Min = "100ms", Max = "1h",
        Consequence = "Connections that send nothing stay open this long.", Advanced = true)]
    public TimeSpan FirstRequestTimeout { get; set; } = TimeSpan.FromSeconds(10);

    [Setting(
        "Time that an HTTP connection is kept between two requests. Longer than the balancer's own idle timeout: else the worker closes a connection just as "
            + "the balancer sends on it, and the caller sees 502", Min = "1s", Max = "24h",
        Consequence = "Idle connections take memory and a descriptor this long, unless others need them.", Advanced = true)]
    public TimeSpan KeepAliveTimeout { get; set; } = TimeSpan.FromSeconds(620);

    /// <summary>The address of <see cref="Url"/>; localhost is 127.0.0.1.</summary>
    public IPAddress Address => IPAddress.TryParse(Url.DnsSafeHost, out IPAddress? address) ? address : IPAddress.Loopback;

    public void Validate(SettingsCheck check)
    {
        if (Url.Scheme != Uri.UriSchemeHttp || Url.AbsolutePath != "/" || Url.Query.Length > 0)
        {
            check.Fail(nameof(Url), "must be http://address:port without a path; for TLS, put a proxy in front of the worker.");
        }

        if (Url.HostNameType == UriHostNameType.Dns && !Url.IsLoopback)
        {
            check.Fail(nameof(Url), "must name an IP address or localhost; 0.0.0.0 means every interface.");
        }

        if (Array.Find(AllowedHosts, host => Http.AllowedHosts.Normalize(host) is null) is { } wrong)
        {
            check.Fail(
                nameof(AllowedHosts),
                $"must be hostnames, addresses, *.example.com or * without scheme, port and path, separated by commas; '{wrong}' is none of these.",
                "Requests sent to it would be answered with 403.");
        }
    }
}
