using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Worker.Sources.ServiceBus.Port;
using Worker.Sources.ServiceBus.Sdk;

namespace Worker.Sources.ServiceBus;

/// <content>With the client library.</content>
internal static partial class ServiceBusSourceServiceCollectionExtensions
{
    static partial void AddClient(IServiceCollection services) => services.TryAddSingleton<IServiceBusConnector, SdkConnector>();
}
