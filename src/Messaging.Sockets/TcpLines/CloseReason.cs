namespace Messaging.Sockets.TcpLines;

/// <summary>Why a connection ended, as in logs and metrics.</summary>
internal static class CloseReason
{
    /// <summary>The sender ended its stream.</summary>
    public const string End = "end";

    /// <summary>The connection broke.</summary>
    public const string Reset = "reset";

    /// <summary>No line within <c>FirstLineTimeout</c>.</summary>
    public const string FirstLineTimeout = "first-line-timeout";

    /// <summary>No further line within <c>IdleTimeout</c>.</summary>
    public const string IdleTimeout = "idle-timeout";

    /// <summary>The sender does not read its acknowledgements.</summary>
    public const string AcknowledgementTimeout = "ack-timeout";

    /// <summary>The TLS handshake failed.</summary>
    public const string Tls = "tls";

    /// <summary>The first line was an HTTP request.</summary>
    public const string HttpRequest = "http-request";

    /// <summary>The connection began with a header of the PROXY protocol.</summary>
    public const string ProxyProtocol = "proxy-protocol";

    /// <summary>The worker stops.</summary>
    public const string Stopping = "stopping";
}
