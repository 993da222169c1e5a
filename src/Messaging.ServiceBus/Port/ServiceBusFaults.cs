using Messaging.Telemetry;

namespace Messaging.ServiceBus.Port;

/// <summary>
/// Classifies what the library throws, by the names of ServiceBusFailureReason, so that the rules can be tested without the
/// library. See docs/explanation/settlement.md for what follows from each kind.
/// </summary>
public static class ServiceBusFaults
{
    /// <summary>The fault of a ServiceBusException.</summary>
    /// <param name="reason">The name of the ServiceBusException's reason.</param>
    /// <param name="isTransient">Whether the library itself would retry; decides for reasons that are not known here.</param>
    /// <param name="message">The exception's message.</param>
    public static ServiceBusFault FromReason(string reason, bool isTransient, string message) => Create(
        reason switch
        {
            "ServiceBusy" or "ServiceTimeout" or "ServiceCommunicationProblem" => ServiceBusFaultKind.Transient,
            "MessageLockLost" or "SessionLockLost" => ServiceBusFaultKind.LockLost,
            "MessageNotFound" => ServiceBusFaultKind.Gone,
            "QuotaExceeded" => ServiceBusFaultKind.QuotaExceeded,
            "MessageSizeExceeded" => ServiceBusFaultKind.TooLarge,
            "MessagingEntityNotFound" => ServiceBusFaultKind.NotFound,
            "MessagingEntityDisabled" => ServiceBusFaultKind.Disabled,
            _ => isTransient ? ServiceBusFaultKind.Transient : ServiceBusFaultKind.Other,
        },
        message);

    /// <summary>What is not a ServiceBusException: credentials are refused with UnauthorizedAccessException, networks fail with their own.</summary>
    public static ServiceBusFault FromException(Exception exception) => Create(
        exception switch
        {
            UnauthorizedAccessException => ServiceBusFaultKind.Unauthorized,
            IOException or TimeoutException or System.Net.Sockets.SocketException or OperationCanceledException => ServiceBusFaultKind.Transient,
            _ => ServiceBusFaultKind.Other,
        },
        exception.Message);

    /// <summary>A fault with the library's message, cut to 256 bytes and made printable.</summary>
    public static ServiceBusFault Create(ServiceBusFaultKind kind, string message) => new(kind, UntrustedText.Shorten(message));
}
