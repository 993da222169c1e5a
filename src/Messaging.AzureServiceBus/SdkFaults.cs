using Azure.Identity;
using Azure.Messaging.ServiceBus;
using Messaging.AzureServiceBus.Port;

namespace Messaging.AzureServiceBus;

/// <summary>Converts the client library's exceptions to the port's.</summary>
internal static class SdkFaults
{
    public static ServiceBusFault Classify(Exception exception) => exception switch
    {
        ServiceBusException known => ServiceBusFaults.FromReason(known.Reason.ToString(), known.IsTransient, known.Message),
        AuthenticationFailedException => ServiceBusFaults.Create(ServiceBusFaultKind.Unauthorized, exception.Message),
        _ => ServiceBusFaults.FromException(exception),
    };

    public static ServiceBusFaultException Convert(Exception exception) => new(Classify(exception), exception);

    /// <summary>Awaits a call of the library; a cancellation is not converted.</summary>
    public static async Task ConvertAsync(Task call, CancellationToken cancellationToken)
    {
        try
        {
            await call;
        }
        catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
        {
            throw Convert(exception);
        }
    }
}
