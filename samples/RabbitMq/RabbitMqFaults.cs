using System.Net.Sockets;
using Messaging.Configuration;
using RabbitMQ.Client.Exceptions;

namespace Samples.RabbitMq;

/// <summary>Classifies the exceptions of the RabbitMQ client.</summary>
internal static class RabbitMqFaults
{
    private const int AccessRefused = 403;
    private const int NotFound = 404;
    private const int NotAllowed = 530;

    /// <summary>True for exceptions caused by the broker, the network or a closed connection.</summary>
    public static bool IsBrokers(Exception exception) =>
        exception is RabbitMQClientException or IOException or SocketException or TimeoutException or ObjectDisposedException;

    /// <summary>The exception that tells an operator how to fix a refusal; null when a later attempt may succeed.</summary>
    public static StartupException? Refusal(Exception exception, RabbitMqOptions options) => exception switch
    {
        BrokerUnreachableException { InnerException: PossibleAuthenticationFailureException or AuthenticationFailureException } =>
            new StartupException("RabbitMQ refuses the credentials; check user and password in Sources:RabbitMq:Uri.", ExitCodes.NoPermission, exception),
        OperationInterruptedException { ShutdownReason.ReplyCode: NotFound } =>
            new StartupException($"RabbitMQ has no queue {options.Queue} or {options.DeadLetters}; create them, or set Sources:RabbitMq:Declare to true.", ExitCodes.Unavailable, exception),
        OperationInterruptedException { ShutdownReason: { ReplyCode: AccessRefused or NotAllowed } reason } =>
            new StartupException($"RabbitMQ refuses access: {reason.ReplyText}", ExitCodes.NoPermission, exception),
        _ => null,
    };
}
