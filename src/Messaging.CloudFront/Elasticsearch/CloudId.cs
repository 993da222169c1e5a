using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Messaging.CloudFront.Elasticsearch;

/// <summary>
/// A cloud id of Elastic Cloud: a name, a colon, and in base64 <c>host$elasticsearch$kibana</c>, where each part may end with a port
/// ("Find your Cloud ID" in Elastic's documentation).
/// </summary>
internal static class CloudId
{
    private const string DefaultPort = "443";

    /// <summary>Reads the address of Elasticsearch.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out Uri? address)
    {
        address = null;
        string encoded = text[(text.IndexOf(':', StringComparison.Ordinal) + 1)..];
        byte[] decoded = new byte[encoded.Length];
        if (encoded.Length == text.Length || !Convert.TryFromBase64String(encoded, decoded, out int length))
        {
            return false;
        }

        string[] parts = Encoding.UTF8.GetString(decoded, 0, length).Split('$');
        if (parts.Length < 2)
        {
            return false;
        }

        (string host, string port) = Divide(parts[0], DefaultPort);
        (string id, string idPort) = Divide(parts[1], port);
        return host.Length > 0 && id.Length > 0
            && Uri.TryCreate($"https://{id}.{host}:{idPort}/", UriKind.Absolute, out address)
            && address.PathAndQuery == "/" && address.UserInfo.Length == 0;
    }

    private static (string Name, string Port) Divide(string part, string port)
    {
        int colon = part.IndexOf(':', StringComparison.Ordinal);
        return colon < 0 ? (part, port) : (part[..colon], part[(colon + 1)..]);
    }
}
