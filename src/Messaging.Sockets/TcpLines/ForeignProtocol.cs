namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>
/// Recognizes connections of another protocol by their first bytes. A load balancer sends the PROXY header (haproxy.org, proxy-protocol.txt, section 2) before
/// the sender's own bytes, and as lines it would shift the numbers of all others. A page in a browser sends an HTTP request. A TLS ClientHello comes to a port
/// without a certificate. 0 B.
/// </summary>
internal static class ForeignProtocol
{
    /// <summary>Bytes that decide: those of <c>PROXY UNKNOWN</c>, the longest beginning.</summary>
    public const int PrefixLength = 13;

    // A TLS record's header (RFC 8446, section 5.1), and the type of the handshake's message.
    private const int TlsHeaderLength = 5;
    private const int ClientHelloLength = 6;

    // The signature begins with two blank lines, and its third line ends before the signature does.
    private const int BlankLinesLength = 4;

    private static ReadOnlySpan<byte> Signature => "\r\n\r\n\0\r\nQUIT\n"u8;

    /// <summary>True for the first bytes of a connection that begins with a PROXY header.</summary>
    public static bool IsProxyHeader(ReadOnlySpan<byte> prefix) =>
        prefix.StartsWith("PROXY TCP4 "u8) || prefix.StartsWith("PROXY TCP6 "u8) || prefix.StartsWith("PROXY UNKNOWN"u8) || prefix.StartsWith(Signature);

    /// <summary>True for the first bytes of a connection that begins with a TLS handshake.</summary>
    public static bool IsClientHello(ReadOnlySpan<byte> prefix) => prefix.Length >= ClientHelloLength && BeginsRecord(prefix) && prefix[TlsHeaderLength] == 1;

    /// <summary>Why a connection with these first bytes is closed before its first message ends; null when the message decides.</summary>
    public static string? Recognize(Framing framing, ReadOnlySpan<byte> prefix) =>
        IsClientHello(prefix) ? CloseReason.ClientHello
        : framing != Framing.OctetCounting ? null
        : IsProxyHeader(prefix) ? CloseReason.ProxyProtocol
        : HttpRequestLine.Begins(prefix) ? CloseReason.HttpRequest
        : null;

    /// <summary>Why a connection with this first message is closed; null when it is a message.</summary>
    public static string? Recognize(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> message, bool isWhole)
    {
        if (IsProxyHeader(prefix))
        {
            return CloseReason.ProxyProtocol;
        }

        int end = message.IndexOf((byte)'\n');
        ReadOnlySpan<byte> line = end < 0 ? message : message[..end].TrimEnd((byte)'\r');
        return (isWhole || end >= 0 ? HttpRequestLine.Matches(line) : HttpRequestLine.Begins(prefix)) ? CloseReason.HttpRequest : null;
    }

    /// <summary>
    /// True while a few more bytes decide whether the connection is one of another protocol, and its first message could end before them. Texts of other
    /// protocols begin with a capital letter, which is no length; a line that has ended decides itself.
    /// </summary>
    public static bool MayBegin(ReadOnlySpan<byte> prefix) =>
        (prefix.Length > BlankLinesLength && prefix.Length < Signature.Length && Signature.StartsWith(prefix))
        || (prefix.Length < ClientHelloLength && BeginsRecord(prefix))
        || (prefix.Length < PrefixLength && prefix is [>= (byte)'A' and <= (byte)'Z', ..] && !prefix.Contains((byte)'\n'));

    /// <summary>As <see cref="IsProxyHeader"/>, for a connection whose TLS handshake failed, perhaps after the first five bytes.</summary>
    public static bool IsProxyHeaderInsteadOfTls(ReadOnlySpan<byte> prefix) =>
        prefix.Length >= TlsHeaderLength && (prefix.StartsWith("PROXY"u8) || Signature.StartsWith(prefix[..TlsHeaderLength]));

    // SSL 3.0 to TLS 1.3 have the version 3.0 to 3.4.
    private static bool BeginsRecord(ReadOnlySpan<byte> prefix) => prefix is [0x16] or [0x16, 3] or [0x16, 3, <= 4, ..];
}
