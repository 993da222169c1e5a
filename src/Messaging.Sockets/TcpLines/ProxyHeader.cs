namespace Messaging.Sockets.TcpLines;

/// <summary>
/// Recognizes the header of the PROXY protocol, versions 1 and 2 (haproxy.org, proxy-protocol.txt, section 2): load balancers send it before the sender's own
/// bytes, and as lines it would shift the numbers of all others. 0 B.
/// </summary>
internal static class ProxyHeader
{
    /// <summary>Bytes that decide: those of <c>PROXY UNKNOWN</c>, the longest beginning.</summary>
    public const int PrefixLength = 13;

    // A TLS record's header; no TLS connection begins with these bytes of a PROXY header.
    private const int TlsHeaderLength = 5;

    // The signature begins with two blank lines, and its third line ends before the signature does.
    private const int BlankLinesLength = 4;

    private static ReadOnlySpan<byte> Signature => "\r\n\r\n\0\r\nQUIT\n"u8;

    /// <summary>True for the first bytes of a connection that begins with a PROXY header.</summary>
    public static bool Begins(ReadOnlySpan<byte> prefix) =>
        prefix.StartsWith("PROXY TCP4 "u8) || prefix.StartsWith("PROXY TCP6 "u8) || prefix.StartsWith("PROXY UNKNOWN"u8) || prefix.StartsWith(Signature);

    /// <summary>True while these first bytes of a connection hold a line that is no message if they become the signature.</summary>
    public static bool MayBegin(ReadOnlySpan<byte> prefix) => prefix.Length > BlankLinesLength && prefix.Length < Signature.Length && Signature.StartsWith(prefix);

    /// <summary>As <see cref="Begins"/>, for a connection whose TLS handshake failed, perhaps after the first five bytes.</summary>
    public static bool BeginsInsteadOfTls(ReadOnlySpan<byte> prefix) =>
        prefix.Length >= TlsHeaderLength && (prefix.StartsWith("PROXY"u8) || Signature.StartsWith(prefix[..TlsHeaderLength]));
}
