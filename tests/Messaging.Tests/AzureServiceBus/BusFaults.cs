using System.Runtime.CompilerServices;
using Azure.Messaging.ServiceBus;
using Quayside.Messaging.AzureServiceBus;

namespace Messaging.Tests.AzureServiceBus;

/// <summary>Exceptions of the real client, by what they mean for the worker.</summary>
internal static class BusFaults
{
    public static Exception Of(string kind, string message) => Of(Enum.Parse<ServiceBusFaultKind>(kind), message);

    public static Exception Of(ServiceBusFaultKind kind, string message) => kind switch
    {
        ServiceBusFaultKind.Transient => new ServiceBusException(message, ServiceBusFailureReason.ServiceCommunicationProblem),
        ServiceBusFaultKind.LockLost => new ServiceBusException(message, ServiceBusFailureReason.MessageLockLost),
        ServiceBusFaultKind.Gone => new ServiceBusException(message, ServiceBusFailureReason.MessageNotFound),
        ServiceBusFaultKind.QuotaExceeded => new ServiceBusException(message, ServiceBusFailureReason.QuotaExceeded),
        ServiceBusFaultKind.TooLarge => new ServiceBusException(message, ServiceBusFailureReason.MessageSizeExceeded),
        ServiceBusFaultKind.NotFound => new ServiceBusException(message, ServiceBusFailureReason.MessagingEntityNotFound),
        ServiceBusFaultKind.Disabled => new ServiceBusException(message, ServiceBusFailureReason.MessagingEntityDisabled),
        ServiceBusFaultKind.Unauthorized => new UnauthorizedAccessException(message),
        ServiceBusFaultKind.SessionsRequired =>
            new InvalidOperationException($"It is not possible for an entity that requires sessions to create a non-sessionful message receiver. {message}"),
        ServiceBusFaultKind.Unreadable => Thrown(new ArgumentNullException(paramName: null, message)),
        _ => new InvalidOperationException(message),
    };

    /// <summary>As the client throws it while it converts a message.</summary>
    public static Exception Thrown(Exception exception)
    {
        try
        {
            AmqpMessageConverter.Throw(exception);
        }
        catch (Exception thrown)
        {
            return thrown;
        }

        return exception;
    }

    /// <summary>Named as the client's class.</summary>
    private static class AmqpMessageConverter
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void Throw(Exception exception) => throw exception;
    }
}
