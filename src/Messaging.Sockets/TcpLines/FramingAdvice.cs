namespace Messaging.Sockets.TcpLines;

/// <summary>What probably caused a dropped line, and what the operator can do: other framings lose everything here.</summary>
internal static class FramingAdvice
{
    /// <summary>For a connection that begins with a PROXY header.</summary>
    public const string ProxyProtocol =
        "It began with a PROXY protocol header, which the worker does not read: switch the PROXY protocol off for this port at the load balancer or proxy.";

    /// <summary>For lines that arrived while the worker stopped, without acknowledgements.</summary>
    public const string Unread =
        "They are lost: the sender does not know. With Sources:TcpLines:Acknowledge=true senders keep lines until they are stored.";

    private const string Octets =
        "The line begins with a length and a space: the sender seems to count octets (RFC 6587), but the worker reads lines. Configure the sender to end each message with LF (non-transparent framing).";

    private const string Nul = "The line contains NUL: the sender seems to end its messages with NUL. Configure it to end each message with LF.";

    private const string NoLineEnd =
        "The sender sent no LF on this connection. Configure it to end each message with LF, or set Sources:TcpLines:UnterminatedTail=Accept if a connection carries one message.";

    private const string CutOff = "The sender, the network or a time limit ended the connection within the line; see the sender's log.";

    private const string TooLong = "Raise Sources:TcpLines:MaxLineBytes if the sender's messages are longer; otherwise check that it ends each message with LF.";

    /// <param name="reason">Why the line was dropped.</param>
    /// <param name="line">Its number; the causes that can be seen show on the first line of a connection.</param>
    /// <param name="prefix">The first bytes of the connection.</param>
    /// <param name="hasNul">True when the connection's first line contains NUL.</param>
    public static string For(string reason, long line, ReadOnlySpan<byte> prefix, bool hasNul) => line switch
    {
        1 when ProxyHeader.Begins(prefix) => ProxyProtocol,
        1 when BeginsWithLength(prefix) => Octets,
        1 when hasNul => Nul,
        1 when reason == LineAnswers.Unterminated => NoLineEnd,
        _ => reason == LineAnswers.Unterminated ? CutOff : TooLong,
    };

    // RFC 6587, section 3.4.1: MSG-LEN has no leading zero.
    private static bool BeginsWithLength(ReadOnlySpan<byte> prefix)
    {
        int digits = prefix.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
        return digits > 0 && prefix[0] != '0' && prefix[digits] == ' ';
    }
}
