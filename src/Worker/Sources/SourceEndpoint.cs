using System.Diagnostics.CodeAnalysis;
using System.Net;

namespace Worker.Sources;

/// <summary>Reads the address and port of a source that listens.</summary>
internal static class SourceEndpoint
{
    /// <summary>Reads <c>127.0.0.1:9081</c> or <c>[::1]:9081</c>; false without a port, which IPEndPoint.TryParse alone would take for 0.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out IPEndPoint? endpoint)
    {
        endpoint = null;
        int colon = text.LastIndexOf(':');
        return colon > 0 && colon < text.Length - 1 && (text[0] == '[' ? text[colon - 1] == ']' : !text.AsSpan(0, colon).Contains(':')) && IPEndPoint.TryParse(text, out endpoint);
    }
}
