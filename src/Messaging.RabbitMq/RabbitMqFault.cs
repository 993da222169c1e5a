using System.Net.Sockets;
using System.Security.Authentication;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Quayside.Messaging.RabbitMq;

/// <summary>A failed call of the client as the worker sees it.</summary>
/// <param name="Text">What the broker or the network said: one line, shortened and printable.</param>
/// <param name="Remedy">What an operator has to do before the call can succeed; null when a later attempt may succeed by itself.</param>
/// <param name="ExitCode">Of a start that the fault ends.</param>
internal readonly record struct RabbitMqFault(string Text, string? Remedy, int ExitCode)
{
    // Reply codes of AMQP 0-9-1.
    private const int AccessRefused = 403;
    private const int NotFound = 404;
    private const int ResourceLocked = 405;
    private const int PreconditionFailed = 406;
    private const int FrameError = 501;
    private const int NoRoute = 312;
    private const int NotAllowed = 530;
    private const int NotImplemented = 540;

    /// <summary>True for exceptions caused by the broker, the network or a closed connection.</summary>
    public static bool IsOne(Exception exception) =>
        exception is RabbitMQClientException or IOException or SocketException or TimeoutException or ObjectDisposedException or AuthenticationException;

    /// <summary>True where the broker ended the connection over a frame, such as one that is too large.</summary>
    public static bool IsFrameError(Exception exception) => exception is OperationInterruptedException { ShutdownReason.ReplyCode: FrameError };

    /// <summary>Classifies an exception of the client.</summary>
    public static RabbitMqFault Of(Exception exception)
    {
        for (Exception? cause = exception; cause is not null; cause = cause.InnerException)
        {
            switch (cause)
            {
                case PublishReturnException { ReplyCode: NoRoute } returned:
                    return new RabbitMqFault(
                        UntrustedText.Shorten($"no queue gets messages with the key {returned.RoutingKey} of the exchange '{returned.Exchange}' (NO_ROUTE)"),
                        "create the queue, or its binding.", ExitCodes.Unavailable);
                // A broker that goes down during the handshake gives PossibleAuthenticationFailureException, so that one is no refusal.
                case AuthenticationFailureException:
                    return new RabbitMqFault(TextOf(cause), "check user and password, in Sources:RabbitMq:Uri or User and Password.", ExitCodes.NoPermission);
                case OperationInterruptedException { ShutdownReason: { } reason }:
                    return Of(reason);
                case AuthenticationException { Message: BrokerSocket.TlsAnswer }:
                    return new RabbitMqFault(
                        TextOf(cause), "set amqps:// in Sources:RabbitMq:Uri, or the port without TLS (usually 5672).", ExitCodes.Configuration);
                case AuthenticationException when cause.Message.Contains("frame size", StringComparison.Ordinal):
                    return new RabbitMqFault(
                        "The address answers without TLS", "set amqp:// in Sources:RabbitMq:Uri, or the port for TLS (usually 5671).", ExitCodes.Configuration);
                case AuthenticationException:
                    return new RabbitMqFault(
                        TextOf(cause),
                        "check the broker's certificate and its hostname, and that the port is the one for TLS (usually 5671); Sources:RabbitMq:CaCertificate "
                            + "names authorities that the machine does not trust.", ExitCodes.Configuration);
            }
        }

        return new RabbitMqFault(TextOf(exception), Remedy: null, ExitCodes.Unavailable);
    }

    /// <summary>Classifies why the broker closed a channel or a connection.</summary>
    public static RabbitMqFault Of(ShutdownEventArgs reason)
    {
        string text = UntrustedText.Shorten(reason.ReplyText);
        return reason.ReplyCode switch
        {
            NotFound when text.Contains("exchange", StringComparison.Ordinal) => new(text, "create the exchange.", ExitCodes.Unavailable),
            NotFound =>
                new(text, "create what is missing, or set Sources:RabbitMq:Declare to true, which creates the queues when the worker starts.",
                    ExitCodes.Unavailable),
            AccessRefused when text.Contains("reserved prefix", StringComparison.Ordinal) =>
                new(text, "choose another name for the queue.", ExitCodes.Configuration),
            AccessRefused =>
                new(text,
                    "the user needs the right to read the queue, "
                        + "and to write to the exchange that dead letters are published to (rabbitmqctl set_permissions).", ExitCodes.NoPermission),
            NotAllowed when text.Contains("not found", StringComparison.Ordinal) =>
                new(text, "check the virtual host, the path in Sources:RabbitMq:Uri.", ExitCodes.Unavailable),
            NotAllowed => new(text, "the user needs access to the virtual host (rabbitmqctl set_permissions).", ExitCodes.NoPermission),
            ResourceLocked => new(text, "an exclusive queue belongs to another connection; use a durable one.", ExitCodes.Unavailable),
            NotImplemented =>
                new(text, "the queue is of a type that does not have what the worker needs; use a quorum or classic queue.", ExitCodes.Configuration),
            PreconditionFailed when text.Contains("timed out", StringComparison.Ordinal) => new(text, Remedy: null, ExitCodes.Unavailable),
            PreconditionFailed when text.Contains("x-priority", StringComparison.Ordinal) =>
                new(text, "a stream cannot be used like this, since a new connection would skip messages; use a quorum or classic queue.",
                    ExitCodes.Configuration),
            PreconditionFailed => new(text, "the queue cannot be used like this; use a quorum or classic queue.", ExitCodes.Configuration),
            _ => new(text, Remedy: null, ExitCodes.Unavailable),
        };
    }

    /// <summary>The cause in the words of the broker or the network, as one line.</summary>
    public static string TextOf(Exception exception)
    {
        // The outer exceptions only say that no endpoint was reachable.
        Exception cause = exception;
        while (cause.InnerException is { } inner && cause is BrokerUnreachableException or AggregateException)
        {
            cause = inner;
        }

        string text = cause is OperationInterruptedException { ShutdownReason: { } reason } ? reason.ReplyText : cause.Message;
        return UntrustedText.Shorten(cause.InnerException is SocketException socket ? $"{text}: {socket.Message}" : text);
    }

    /// <summary>What ends a start or a command.</summary>
    public StartupException ToStartupException(RabbitMqSourceOptions options) => new($"RabbitMQ at {options.Address}: {this}", ExitCode);

    public override string ToString() => Remedy is null ? Text : $"{Text.TrimEnd('.')}; {Remedy}";
}
