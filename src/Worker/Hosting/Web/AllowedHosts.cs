using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Worker.Sources.Http;
using Worker.Telemetry;

namespace Worker.Hosting.Web;

/// <summary>
/// Refuses requests that a browser sends for a page of another site. Such a page can reach an address that its visitor's machine
/// reaches: directly, which <c>Origin</c> and <c>Sec-Fetch-Site</c> show, or under a name of its own that resolves to the address (DNS
/// rebinding), which <c>Host</c> shows. Callers that are no browsers send neither header and pass. Threads: any. 0 B per request.
/// </summary>
internal sealed class AllowedHosts
{
    /// <summary>The entry that allows every Host, and no further Origin.</summary>
    public const string Any = "*";

    private const string Key = "Hosting:AllowedHosts";

    private readonly IPAddress _bound;
    private readonly bool _isBoundToAll;
    private readonly bool _any;
    private readonly string[] _names;
    private readonly string[] _suffixes;
    private readonly string _shown;

    // Connections repeat their Host: the text that was allowed last is compared before it is parsed.
    private volatile string _lastAllowed = string.Empty;

    public AllowedHosts(HostingOptions options)
    {
        _bound = options.Address;
        _isBoundToAll = _bound.Equals(IPAddress.Any) || _bound.Equals(IPAddress.IPv6Any);
        _any = options.AllowedHosts.Contains(Any);
        _suffixes = [.. options.AllowedHosts.Where(host => host.StartsWith("*.", StringComparison.Ordinal)).Select(host => host[1..])];
        _names = [.. options.AllowedHosts.Where(host => !host.StartsWith('*')).Select(host => host.Trim('[', ']'))];
        string own = _isBoundToAll ? "any address and any name without a dot" : _bound.ToString();
        _shown = string.Join(", ", [own, "loopback", .. options.AllowedHosts]);
    }

    /// <summary>Checks a request.</summary>
    /// <returns>Null when it is allowed; else the answer.</returns>
    public HttpRefusal? Check(HttpRequest request)
    {
        string host = request.Headers.Host.ToString();
        if (!string.Equals(host, _lastAllowed, StringComparison.Ordinal))
        {
            if (!AllowsHost(WithoutPort(host)))
            {
                return Refuse("host-not-allowed", $"The Host '{UntrustedText.Shorten(host)}' is not one of {Key} ({_shown}). Send requests to one of them, or add the name to {Key}.");
            }

            _lastAllowed = host;
        }

        StringValues origin = request.Headers.Origin;
        if (origin.Count > 0)
        {
            return AllowsOrigin(origin.ToString(), host) ? null : Refuse("origin-not-allowed", DescribeOrigin(origin.ToString()));
        }

        return IsCrossSite(request)
            ? Refuse("cross-site", $"A page of another site may not use this worker (Sec-Fetch-Site: cross-site). Open the address itself; {Key} ({_shown}) names the hosts whose pages may use it.")
            : null;
    }

    /// <summary>True for a host, without its port, that requests may be sent to. An empty one is no browser's.</summary>
    public bool AllowsHost(ReadOnlySpan<char> host) =>
        _any || host.IsEmpty || IsTrusted(host) || (_isBoundToAll && (IPAddress.TryParse(host, out _) || !host.Contains('.')));

    /// <summary>True for the origin of a page that may use the worker: one that the worker's own address served, or of a host that is listed.</summary>
    public bool AllowsOrigin(string origin, string host)
    {
        int authority = origin.IndexOf("://", StringComparison.Ordinal);
        if (authority < 0)
        {
            // "null": a sandboxed page, or a file. It names no host that could be listed.
            return false;
        }

        ReadOnlySpan<char> from = origin.AsSpan(authority + 3);
        return from.Equals(host, StringComparison.OrdinalIgnoreCase) || IsTrusted(WithoutPort(from));
    }

    private string DescribeOrigin(string origin) => origin.Contains("://", StringComparison.Ordinal)
        ? $"A page of the Origin '{UntrustedText.Shorten(origin)}' may not use this worker. If it should, add its host to {Key} ({_shown})."
        : $"The Origin '{UntrustedText.Shorten(origin)}' names no host, so no setting can allow it: browsers send null for files and sandboxed frames. Serve the page from a host of {Key} ({_shown}).";

    private static bool IsCrossSite(HttpRequest request)
    {
        // A link that somebody follows to a health page is no access by the page it stood on.
        IHeaderDictionary headers = request.Headers;
        return headers["Sec-Fetch-Site"].ToString().Equals("cross-site", StringComparison.OrdinalIgnoreCase)
            && !(HttpMethods.IsGet(request.Method) && headers["Sec-Fetch-Mode"].ToString().Equals("navigate", StringComparison.OrdinalIgnoreCase) && headers["Sec-Fetch-Dest"].ToString().Equals("document", StringComparison.OrdinalIgnoreCase));
    }

    private static HttpRefusal Refuse(string error, string message) => new(StatusCodes.Status403Forbidden, error, message, Close: true);

    private static ReadOnlySpan<char> WithoutPort(ReadOnlySpan<char> host)
    {
        if (host.StartsWith('['))
        {
            int end = host.IndexOf(']');
            return end < 0 ? host : host[1..end];
        }

        int colon = host.IndexOf(':');
        return colon < 0 ? host : host[..colon];
    }

    private bool IsTrusted(ReadOnlySpan<char> host)
    {
        host = host.TrimEnd('.');
        if (host.Equals("localhost", StringComparison.OrdinalIgnoreCase) || host.EndsWith(".localhost", StringComparison.OrdinalIgnoreCase))
        {
            return true;
        }

        if (IPAddress.TryParse(host, out IPAddress? address) && (IPAddress.IsLoopback(address) || (!_isBoundToAll && address.Equals(_bound))))
        {
            return true;
        }

        foreach (string name in _names)
        {
            if (host.Equals(name, StringComparison.OrdinalIgnoreCase))
            {
                return true;
            }
        }

        foreach (string suffix in _suffixes)
        {
            if (host.EndsWith(suffix, StringComparison.OrdinalIgnoreCase))
            {
                return true;
            }
        }

        return false;
    }
}
