using System.Diagnostics.CodeAnalysis;
using System.Net;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Sockets;

/// <summary>The address and port on which a source listens.</summary>
internal static class SourceEndpoint
{
    /// <summary>Parses <c>127.0.0.1:9081</c> or <c>[::1]:9081</c>; false without a port, which IPEndPoint.TryParse would accept as port 0.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out IPEndPoint? endpoint)
    {
        endpoint = null;
        int colon = text.LastIndexOf(':');
        return colon > 0
            && colon < text.Length - 1
            && (text[0] == '[' ? text[colon - 1] == ']' : !text.AsSpan(0, colon).Contains(':'))
            && IPEndPoint.TryParse(text, out endpoint);
    }

    /// <summary>Reports an endpoint that overlaps with that of another route or of the web server.</summary>
    public static void Claim(SettingsReader settings, string protocol, string section, string text, string route)
    {
        if (TryParse(text, out IPEndPoint? endpoint) && settings.Endpoints.Add(protocol, endpoint, $"route '{route}'") is { } other)
        {
            string where = other.Endpoint.Equals(endpoint) ? "there" : $"on {other.Endpoint}, which overlaps";
            settings.Fail(
                $"Routes:{route}:{section}:Endpoint", text, $"must be an endpoint that no other listener uses: {other.Owner} already listens {where}.",
                "The worker could not start.");
        }
    }
}
