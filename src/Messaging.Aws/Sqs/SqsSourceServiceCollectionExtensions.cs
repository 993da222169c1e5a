using Messaging.Sources;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Messaging.Aws.Sqs;

/// <summary>Adds the SQS source to the container.</summary>
internal static class SqsSourceServiceCollectionExtensions
{
    /// <summary>Adds the source. May be called twice.</summary>
    public static IServiceCollection AddSqsSource(this IServiceCollection services)
    {
        services.TryAddEnumerable(ServiceDescriptor.Singleton<ISourceFeature, SqsSourceFeature>());
        return services;
    }
}
