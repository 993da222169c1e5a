namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>What probably caused dropped input, and what the operator can do: a sender with another framing than the configured one loses everything.</summary>
internal static class FramingAdvice
{
    private const string Section = TcpLinesSourceOptions.Section;

    /// <summary>For lines that arrived while the worker stopped, without acknowledgements.</summary>
    public const string Unread =
        "They are lost: the sender does not know. With Sources:TcpLines:Acknowledge=true senders keep lines until they are stored.";

    private const string NoLineEnd =
        "The sender sent no LF on this connection. Configure it to end each message with LF, "
            + "or set Sources:TcpLines:UnterminatedTail=Accept if a connection carries one message.";

    private const string CutOff = "The sender, the network or a time limit ended the connection within the line; see the sender's log.";

    private const string TooLong =
        "Raise Sources:TcpLines:MaxLineBytes if the sender's messages are longer; otherwise check how it ends its messages, and Sources:TcpLines:Framing.";

    private const string NoLength = "Check how the sender frames its messages, and set Sources:TcpLines:Framing accordingly.";

    /// <summary>For a connection of another protocol.</summary>
    /// <param name="reason">Why it was closed.</param>
    public static string ForProtocol(string reason) => reason switch
    {
        CloseReason.ProxyProtocol =>
            "It began with a PROXY protocol header, which the worker does not read. Switch the PROXY protocol off for this port at the load balancer or proxy.",
        CloseReason.ClientHello =>
            $"It began with a TLS handshake, and this port has no certificate. Set {Section}:{nameof(TcpLinesSourceOptions.Certificate)} and "
            + $"{nameof(TcpLinesSourceOptions.CertificateKey)}, or switch TLS off at the sender.",
        _ => "It began with an HTTP request: send requests to the HTTP source (Hosting:Url). A page in a browser may have sent it.",
    };

    /// <param name="framing">The framing that is configured.</param>
    /// <param name="reason">Why the line was dropped.</param>
    /// <param name="line">Its number; the causes that can be seen show on the first line of a connection.</param>
    /// <param name="prefix">The first bytes of the connection.</param>
    /// <param name="hasLf">True when the connection's first line contains LF.</param>
    public static string For(Framing framing, string reason, long line, ReadOnlySpan<byte> prefix, bool hasLf)
    {
        if (line == 1)
        {
            if (ForeignProtocol.IsProxyHeader(prefix))
            {
                return ForProtocol(CloseReason.ProxyProtocol);
            }

            if (Recognize(prefix, hasLf) is { } seen && seen != framing)
            {
                return Describe(seen, framing);
            }

            if (reason == LineAnswers.Unterminated && framing == Framing.Lf)
            {
                return NoLineEnd;
            }
        }

        return reason == LineAnswers.Unterminated ? CutOff : reason == LineAnswers.BadFrame ? NoLength : TooLong;
    }

    private static Framing? Recognize(ReadOnlySpan<byte> prefix, bool hasLf) =>
        BeginsWithDigits(prefix) ? Framing.OctetCounting
        : hasLf && BeginsText(prefix) ? Framing.Lf
        : null;

    private static string Describe(Framing seen, Framing configured)
    {
        string what = seen == Framing.OctetCounting
            ? "The connection begins with a length and a space: the sender seems to count octets (RFC 6587)"
            : "The connection begins with text that contains LF: the sender seems to send lines";
        string instead = configured switch
        {
            Framing.Lf => "end each message with LF",
            Framing.CrLf => "end each message with CR LF",
            _ => "count octets",
        };
        return $"{what}. Set {Section}:{nameof(TcpLinesSourceOptions.Framing)}={seen}, or configure the sender to {instead}.";
    }

    // RFC 6587, section 3.4.1: MSG-LEN has no leading zero.
    private static bool BeginsWithDigits(ReadOnlySpan<byte> prefix)
    {
        int digits = prefix.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
        return digits > 0 && prefix[0] != '0' && prefix[digits] == ' ';
    }

    // JSON, or the priority of a syslog message.
    private static bool BeginsText(ReadOnlySpan<byte> prefix) => prefix is [(byte)'{' or (byte)'[' or (byte)'<', ..];
}
