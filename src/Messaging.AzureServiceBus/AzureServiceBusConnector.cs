using Azure.Identity;
using Azure.Messaging.ServiceBus;
using Messaging.ServiceBus;
using Messaging.ServiceBus.Port;

namespace Messaging.AzureServiceBus;

/// <summary>
/// Opens clients of the package Azure.Messaging.ServiceBus. Compiled only with the switch <c>AzureServiceBus</c>;
/// docs/explanation/adr/service-bus-behind-a-switch.md lists every SDK member used here.
/// </summary>
public sealed class AzureServiceBusConnector : IServiceBusConnector
{
    /// <inheritdoc/>
    public IServiceBusPump OpenPump(ServiceBusSourceOptions options, PumpSettings settings) => Open(options, client => new SdkPump(client, options, settings));

    /// <inheritdoc/>
    public IServiceBusSender OpenSender(ServiceBusSourceOptions options) => Open(options, client => new SdkSender(client, options));

    private static T Open<T>(ServiceBusSourceOptions options, Func<ServiceBusClient, T> open)
    {
        ServiceBusClientOptions settings = new()
        {
            TransportType = options.Transport == ServiceBusTransport.AmqpWebSockets ? ServiceBusTransportType.AmqpWebSockets : ServiceBusTransportType.AmqpTcp,
        };
        try
        {
            return open(options.ConnectionString is { } connectionString
                ? new ServiceBusClient(connectionString, settings)
                : new ServiceBusClient(options.FullyQualifiedNamespace, new DefaultAzureCredential(), settings));
        }
        catch (Exception exception)
        {
            throw SdkFaults.Convert(exception);
        }
    }
}
