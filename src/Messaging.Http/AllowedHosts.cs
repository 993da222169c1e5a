using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Http;

/// <summary>
/// Refuses requests that a browser sends for a page of another site. Such a page can reach every address that the browser's machine reaches: directly, which
/// <c>Origin</c> and <c>Sec-Fetch-Site</c> show, or under its own hostname that resolves to the address (DNS rebinding), which <c>Host</c> shows. Callers
/// other than browsers send neither <c>Origin</c> nor <c>Sec-Fetch-Site</c>. Threads: any. 0 B per request.
/// </summary>
internal sealed class AllowedHosts
{
    /// <summary>The entry that allows every Host, but no further Origin.</summary>
    public const string Any = "*";

    private const string Key = "Hosting:AllowedHosts";
    private const string AnyBelow = "*.";

    private static readonly IdnMapping Punycode = new();

    private readonly IPAddress _bound;
    private readonly bool _isBoundToAll;
    private readonly bool _any;
    private readonly IPAddress[] _addresses;
    private readonly string[] _names;
    private readonly string[] _suffixes;
    private readonly string _shown;

    // Callers repeat their Host: comparing it with the last allowed text avoids parsing it.
    private volatile string _lastAllowed = string.Empty;

    public AllowedHosts(WebOptions options)
    {
        _bound = options.Address;
        _isBoundToAll = _bound.Equals(IPAddress.Any) || _bound.Equals(IPAddress.IPv6Any);
        string[] entries = [.. options.AllowedHosts.Select(Normalize).OfType<string>()];
        _any = entries.Contains(Any);
        _suffixes = [.. entries.Where(entry => entry.StartsWith(AnyBelow, StringComparison.Ordinal)).Select(entry => entry[1..])];
        string[] hosts = [.. entries.Where(entry => !entry.StartsWith('*'))];
        _addresses = [.. hosts.Select(host => IPAddress.TryParse(host, out IPAddress? address) ? address : null).OfType<IPAddress>()];
        _names = [.. hosts.Where(host => !IPAddress.TryParse(host, out _))];
        string own = _isBoundToAll ? "any address and any name without a dot" : _bound.ToString();
        _shown = string.Join(", ", [own, "loopback", .. options.AllowedHosts]);
    }

    /// <summary>Converts an entry of the setting to the form that requests use: ASCII (punycode), without a trailing dot.</summary>
    /// <returns>Null for an entry that no request could match.</returns>
    public static string? Normalize(string entry)
    {
        if (entry == Any)
        {
            return entry;
        }

        bool isAnyBelow = entry.StartsWith(AnyBelow, StringComparison.Ordinal);
        string host = isAnyBelow ? entry[AnyBelow.Length..] : entry;
        switch (Uri.CheckHostName(host))
        {
            case UriHostNameType.Dns:
                string? name = ToPunycode(host.TrimEnd('.'));
                return isAnyBelow && name is not null ? AnyBelow + name : name;
            case UriHostNameType.IPv4 or UriHostNameType.IPv6 when !isAnyBelow && !host.Contains('%') && IPAddress.TryParse(host, out IPAddress? address):
                return address.ToString();
            default:
                return null;
        }
    }

    /// <param name="request">The request.</param>
    /// <returns>Null when it is allowed; else the answer.</returns>
    public HttpRefusal? Check(HttpRequest request)
    {
        string host = request.Headers.Host.ToString();
        if (!string.Equals(host, _lastAllowed, StringComparison.Ordinal))
        {
            if (!AllowsHost(WithoutPort(host)))
            {
                return Refuse(
                    "host-not-allowed",
                    $"The Host '{UntrustedText.Shorten(host)}' is not allowed by {Key} ({_shown}). "
                        + $"Send requests to one of these hosts, or add the name to {Key}.");
            }

            _lastAllowed = host;
        }

        StringValues origin = request.Headers.Origin;
        if (origin.Count > 0)
        {
            return AllowsOrigin(origin.ToString(), host) ? null : Refuse("origin-not-allowed", DescribeOrigin(origin.ToString()));
        }

        return IsCrossSite(request)
            ? Refuse(
                "cross-site",
                $"A page of another site may not use this worker (Sec-Fetch-Site: cross-site). Open the address directly; "
                    + $"{Key} ({_shown}) lists the hosts whose pages may use it.")
            : null;
    }

    /// <summary>True for a host, without its port, that requests may name. An empty one is allowed: no browser sends it.</summary>
    public bool AllowsHost(ReadOnlySpan<char> host) =>
        _any || host.IsEmpty || IsTrusted(host) || (_isBoundToAll && (IPAddress.TryParse(host, out _) || !host.Contains('.')));

    /// <summary>True for the origin of a page that may use the worker: the worker's own address, or a listed host.</summary>
    public bool AllowsOrigin(string origin, string host)
    {
        int authority = origin.IndexOf("://", StringComparison.Ordinal);
        if (authority < 0)
        {
            // "null": a sandboxed page or a file, which has no host to list.
            return false;
        }

        ReadOnlySpan<char> from = origin.AsSpan(authority + 3);
        return authority > 0 && Uri.IsWellFormedUriString(origin, UriKind.Absolute)
            && (from.Equals(host, StringComparison.OrdinalIgnoreCase) || IsTrusted(WithoutPort(from)));
    }

    private string DescribeOrigin(string origin) => origin.Contains("://", StringComparison.Ordinal)
        ? $"Pages of the Origin '{UntrustedText.Shorten(origin)}' may not use this worker. To allow them, add their host to {Key} ({_shown})."
        : $"The Origin '{UntrustedText.Shorten(origin)}' names no host, so no setting can allow it: browsers send null for files and sandboxed frames. Serve "
            + $"the page from a host of {Key} ({_shown}).";

    private static string? ToPunycode(string name)
    {
        try
        {
            return Punycode.GetAscii(name.ToLowerInvariant());
        }
        catch (ArgumentException)
        {
            // A label that is empty or longer than 63 bytes, or an invalid character.
            return null;
        }
    }

    private static bool IsCrossSite(HttpRequest request)
    {
        // Following a link is allowed: the page with the link cannot read the answer.
        IHeaderDictionary headers = request.Headers;
        return headers["Sec-Fetch-Site"].ToString().Equals("cross-site", StringComparison.OrdinalIgnoreCase)
            && !(HttpMethods.IsGet(request.Method)
                && headers["Sec-Fetch-Mode"].ToString().Equals("navigate", StringComparison.OrdinalIgnoreCase)
                && headers["Sec-Fetch-Dest"].ToString().Equals("document", StringComparison.OrdinalIgnoreCase));
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

        if (IPAddress.TryParse(host, out IPAddress? address))
        {
            return IPAddress.IsLoopback(address) || (!_isBoundToAll && address.Equals(_bound)) || Array.IndexOf(_addresses, address) >= 0;
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
