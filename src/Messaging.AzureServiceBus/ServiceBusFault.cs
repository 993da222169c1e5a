using Azure.Identity;
using Azure.Messaging.ServiceBus;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>A failed call of the client as the worker sees it. The consequences of each kind are in docs/explanation/settlement.md.</summary>
/// <param name="Kind">What it means.</param>
/// <param name="Message">The client's message: one line without stack traces, at most 256 bytes, printable.</param>
internal readonly record struct ServiceBusFault(ServiceBusFaultKind Kind, string Message)
{
    private static readonly char[] LineEnds = ['\r', '\n', '\u0085', '\u2028', '\u2029'];

    /// <summary>True when an operator must act before messages can be received.</summary>
    public bool IsRefusal =>
        Kind is ServiceBusFaultKind.NotFound or ServiceBusFaultKind.Disabled or ServiceBusFaultKind.Unauthorized or ServiceBusFaultKind.SessionsRequired
            or ServiceBusFaultKind.NoSessions;

    /// <summary>Classifies an exception of the client.</summary>
    public static ServiceBusFault Of(Exception exception) => new(KindOf(exception), TextOf(exception));

    /// <summary>The message of an exception, safe to log.</summary>
    public static string TextOf(Exception exception) => UntrustedText.Shorten(OneLine(exception.Message));

    /// <summary>What ends a start or a command: what is wrong, and what to do.</summary>
    /// <param name="entity">The queue, topic or subscription.</param>
    /// <param name="rights">What the credentials need, such as "the right Send (role Azure Service Bus Data Sender)".</param>
    public StartupException ToStartupException(string entity, string rights)
    {
        string advice = Kind switch
        {
            ServiceBusFaultKind.NotFound => "there is no such entity in the namespace; check Sources:ServiceBus:Queue, or Topic and Subscription.",
            ServiceBusFaultKind.Disabled => "the entity is disabled; enable it.",
            ServiceBusFaultKind.SessionsRequired => "the entity requires sessions; set Sources:ServiceBus:Sessions to true.",
            ServiceBusFaultKind.NoSessions => "the entity has no sessions; set Sources:ServiceBus:Sessions to false.",
            ServiceBusFaultKind.Unauthorized =>
                $"the credentials are refused; check the key, the signature or the identity, which need {rights} on the entity.",
            ServiceBusFaultKind.Transient =>
                "the namespace does not answer; check its address in Sources:ServiceBus:ConnectionString or FullyQualifiedNamespace, and the network.",
            _ => "the call failed.",
        };
        int exitCode = Kind switch
        {
            ServiceBusFaultKind.Unauthorized => ExitCodes.NoPermission,
            ServiceBusFaultKind.SessionsRequired or ServiceBusFaultKind.NoSessions => ExitCodes.Configuration,
            _ => ExitCodes.Unavailable,
        };
        return new StartupException($"Service Bus {entity}: {advice} {Message}", exitCode);
    }

    private static ServiceBusFaultKind KindOf(Exception exception) => exception switch
    {
        ServiceBusException known => KindOf(known.Reason, known.IsTransient),
        _ when IsOfConversion(exception) => ServiceBusFaultKind.Unreadable,
        InvalidOperationException when exception.Message.Contains("requires sessions", StringComparison.OrdinalIgnoreCase) =>
            ServiceBusFaultKind.SessionsRequired,
        InvalidOperationException when exception.Message.Contains("not require sessions", StringComparison.OrdinalIgnoreCase) => ServiceBusFaultKind.NoSessions,

        // Microsoft.Azure.Amqp: "Can't create session when the connection is closing."
        InvalidOperationException when exception.Message.Contains("connection is closing", StringComparison.OrdinalIgnoreCase) => ServiceBusFaultKind.Transient,
        UnauthorizedAccessException or AuthenticationFailedException => ServiceBusFaultKind.Unauthorized,

        // A link that closed under a settlement: the next attempt goes over another one.
        ObjectDisposedException or IOException or TimeoutException or System.Net.Sockets.SocketException or OperationCanceledException =>
            ServiceBusFaultKind.Transient,
        _ => ServiceBusFaultKind.Other,
    };

    private static ServiceBusFaultKind KindOf(ServiceBusFailureReason reason, bool isTransient) => reason switch
    {
        ServiceBusFailureReason.ServiceBusy or ServiceBusFailureReason.ServiceTimeout or ServiceBusFailureReason.ServiceCommunicationProblem
            or ServiceBusFailureReason.SessionCannotBeLocked => ServiceBusFaultKind.Transient,
        ServiceBusFailureReason.MessageLockLost or ServiceBusFailureReason.SessionLockLost => ServiceBusFaultKind.LockLost,
        ServiceBusFailureReason.MessageNotFound => ServiceBusFaultKind.Gone,
        ServiceBusFailureReason.QuotaExceeded => ServiceBusFaultKind.QuotaExceeded,
        ServiceBusFailureReason.MessageSizeExceeded => ServiceBusFaultKind.TooLarge,
        ServiceBusFailureReason.MessagingEntityNotFound => ServiceBusFaultKind.NotFound,
        ServiceBusFailureReason.MessagingEntityDisabled => ServiceBusFaultKind.Disabled,
        _ => isTransient ? ServiceBusFaultKind.Transient : ServiceBusFaultKind.Other,
    };

    // The client throws exceptions of any type from its classes AmqpMessageConverter and AmqpAnnotatedMessageConverter; errors of the broker are never thrown
    // there.
    private static bool IsOfConversion(Exception exception) => exception.StackTrace?.Contains("MessageConverter.", StringComparison.Ordinal) == true;

    private static string OneLine(string message)
    {
        string[] lines = message.Split(LineEnds, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        string line = string.Join(' ', lines.Where(line => !IsOfStackTrace(line)));

        // The client writes a socket's error as the whole exception.
        int exception = line.IndexOf(" ErrorCode: System.", StringComparison.Ordinal);
        return exception > 0 ? line[..exception] : line;
    }

    private static bool IsOfStackTrace(string line) => line.StartsWith("at ", StringComparison.Ordinal) || line.StartsWith("--- ", StringComparison.Ordinal);
}

/// <summary>What a failure of Service Bus means for the worker.</summary>
internal enum ServiceBusFaultKind
{
    /// <summary>None of the others, or not set; a retry will not help.</summary>
    Other = 0,

    /// <summary>Temporary: throttled, timed out or unreachable.</summary>
    Transient,

    /// <summary>The lock ended; the message is redelivered.</summary>
    LockLost,

    /// <summary>The message no longer exists: it was settled elsewhere, or expired.</summary>
    Gone,

    /// <summary>The entity or its dead-letter queue is full, or another quota is used up.</summary>
    QuotaExceeded,

    /// <summary>The message is too large for the entity.</summary>
    TooLarge,

    /// <summary>No such queue, topic or subscription.</summary>
    NotFound,

    /// <summary>The entity is disabled.</summary>
    Disabled,

    /// <summary>The credentials are missing, wrong, or lack the right.</summary>
    Unauthorized,

    /// <summary>The entity requires sessions, and the source was not told to use them.</summary>
    SessionsRequired,

    /// <summary>The entity has no sessions, and the source was told to use them.</summary>
    NoSessions,

    /// <summary>The library cannot convert a message that the broker delivered; other messages are received.</summary>
    Unreadable,
}
