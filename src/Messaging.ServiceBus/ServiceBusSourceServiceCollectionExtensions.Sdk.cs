using Messaging.AzureServiceBus;
using Messaging.ServiceBus.Port;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Messaging.ServiceBus;

/// <content>With the client library.</content>
internal static partial class ServiceBusSourceServiceCollectionExtensions
{
    static partial void AddClient(IServiceCollection services) => services.TryAddSingleton<IServiceBusConnector, SdkConnector>();
}
