using System.Net.Sockets;

namespace Quayside.Messaging.Telemetry;

/// <summary>Describes why a connection failed.</summary>
internal static class ConnectionFault
{
    /// <summary>True when no connection was made, so that no byte of the request was sent.</summary>
    internal static bool IsBeforeTheRequest(Exception? exception)
    {
        for (; exception is not null; exception = exception.InnerException)
        {
            if (exception
                is HttpRequestException
                {
                    HttpRequestError: HttpRequestError.NameResolutionError or HttpRequestError.ConnectionError
                    or HttpRequestError.SecureConnectionError or HttpRequestError.ProxyTunnelError
                })
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>The cause, such as <c>Connection refused (127.0.0.1:4566)</c>: one sentence without its full stop, shortened and escaped.</summary>
    public static string Describe(Exception exception)
    {
        // With an inner SocketException the outer message names the address; otherwise it only refers to the inner exception.
        Exception cause = exception is HttpRequestException { InnerException: { } inner and not SocketException } ? inner : exception;
        return exception is HttpRequestException { HttpRequestError: HttpRequestError.SecureConnectionError }
            && cause.Message.Contains("Cannot determine the frame size", StringComparison.Ordinal)
            ? "The address answers, but without TLS: http instead of https may be right there"
            : exception is HttpRequestException { HttpRequestError: HttpRequestError.InvalidResponse }
                ? "The address answers, but not with HTTP: https instead of http may be right there"
            : UntrustedText.Shorten(cause.Message.TrimEnd('.'));
    }
}
