using Azure.Identity;
using Azure.Messaging.ServiceBus;
using Messaging.AzureServiceBus.Port;

namespace Messaging.AzureServiceBus;

/// <summary>
/// Opens clients of the package Azure.Messaging.ServiceBus;
/// docs/explanation/adr/service-bus.md lists every SDK member used here.
/// </summary>
public sealed class AzureServiceBusConnector : IServiceBusConnector
{
    // For checks, which the worker repeats by itself: an answer, a refusal too, is known within the limit of a check.
    private static readonly ServiceBusRetryOptions CheckRetries = new() { Mode = ServiceBusRetryMode.Fixed, MaxRetries = 1, Delay = TimeSpan.FromMilliseconds(500), TryTimeout = TimeSpan.FromSeconds(5) };

    /// <inheritdoc/>
    public IServiceBusPump OpenPump(ServiceBusSourceOptions options, PumpSettings settings) =>
        new SdkPump(Open(options, new ServiceBusRetryOptions()), Open(options, CheckRetries), options, settings);

    /// <inheritdoc/>
    public IServiceBusSender OpenSender(ServiceBusSourceOptions options) => new SdkSender(Open(options, new ServiceBusRetryOptions()), options);

    private static ServiceBusClient Open(ServiceBusSourceOptions options, ServiceBusRetryOptions retries)
    {
        ServiceBusClientOptions settings = new()
        {
            TransportType = options.Transport == ServiceBusTransport.AmqpWebSockets ? ServiceBusTransportType.AmqpWebSockets : ServiceBusTransportType.AmqpTcp,
            RetryOptions = retries,
        };
        try
        {
            return options.ConnectionString is { } connectionString
                ? new ServiceBusClient(connectionString, settings)
                : new ServiceBusClient(options.FullyQualifiedNamespace, new DefaultAzureCredential(), settings);
        }
        catch (Exception exception)
        {
            throw SdkFaults.Convert(exception);
        }
    }
}
