using System.Net.Sockets;

namespace Messaging.Telemetry;

/// <summary>Says why a connection failed.</summary>
public static class ConnectionFault
{
    /// <summary>The cause, such as <c>Connection refused (127.0.0.1:4566)</c>: one sentence without its full stop, bounded and escaped.</summary>
    public static string Describe(Exception exception)
    {
        // The message over a SocketException names the address. Over anything else it only says that there is an inner one.
        Exception cause = exception is HttpRequestException { InnerException: { } inner and not SocketException } ? inner : exception;
        return UntrustedText.Shorten(cause.Message.TrimEnd('.'));
    }
}
