using Messaging.Telemetry;

namespace Messaging.AzureServiceBus.Port;

/// <summary>
/// Classifies the library's exceptions, by the names of ServiceBusFailureReason, so that the rules can be tested without the library.
/// The consequences of each kind are documented in docs/explanation/settlement.md.
/// </summary>
public static class ServiceBusFaults
{
    private static readonly char[] LineEnds = ['\r', '\n', '\u0085', '\u2028', '\u2029'];

    /// <summary>The fault of a ServiceBusException.</summary>
    /// <param name="reason">The name of the ServiceBusException's reason.</param>
    /// <param name="isTransient">Whether the library would retry; decides for reasons that are unknown here.</param>
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

    /// <summary>The fault of any other exception: refused credentials are an UnauthorizedAccessException, network failures have their own types.</summary>
    public static ServiceBusFault FromException(Exception exception) => Create(
        exception switch
        {
            _ when IsOfConversion(exception) => ServiceBusFaultKind.Unreadable,
            InvalidOperationException when exception.Message.Contains("requires sessions", StringComparison.OrdinalIgnoreCase) => ServiceBusFaultKind.SessionsRequired,

            // Microsoft.Azure.Amqp: "Can't create session when the connection is closing."
            InvalidOperationException when exception.Message.Contains("connection is closing", StringComparison.OrdinalIgnoreCase) => ServiceBusFaultKind.Transient,
            UnauthorizedAccessException => ServiceBusFaultKind.Unauthorized,
            IOException or TimeoutException or System.Net.Sockets.SocketException or OperationCanceledException => ServiceBusFaultKind.Transient,
            _ => ServiceBusFaultKind.Other,
        },
        exception.Message);

    /// <summary>A fault with the library's message: one line without stack traces, cut to 256 bytes and made printable.</summary>
    public static ServiceBusFault Create(ServiceBusFaultKind kind, string message) => new(kind, UntrustedText.Shorten(OneLine(message)));

    // The library throws exceptions of any type from its classes AmqpMessageConverter and AmqpAnnotatedMessageConverter; errors of the broker are never thrown there.
    private static bool IsOfConversion(Exception exception) => exception.StackTrace?.Contains("MessageConverter.", StringComparison.Ordinal) == true;

    private static string OneLine(string message)
    {
        string[] lines = message.Split(LineEnds, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        string line = string.Join(' ', lines.Where(line => !IsOfStackTrace(line)));

        // The library writes a socket's error as the whole exception.
        int exception = line.IndexOf(" ErrorCode: System.", StringComparison.Ordinal);
        return exception > 0 ? line[..exception] : line;
    }

    private static bool IsOfStackTrace(string line) => line.StartsWith("at ", StringComparison.Ordinal) || line.StartsWith("--- ", StringComparison.Ordinal);
}
