using Messaging.AzureServiceBus;
using Messaging.ServiceBus.Port;

namespace Messaging.ServiceBus;

/// <content>With the client library.</content>
internal static partial class ServiceBusBuild
{
    static partial void OpenConnector(ref IServiceBusConnector? connector) => connector = new SdkConnector();
}
