using Messaging.Configuration;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging;

namespace Messaging.DeadLetters;

/// <summary>Adds the folder of dead letters to the container.</summary>
internal static class DeadLettersServiceCollectionExtensions
{
    /// <summary>Adds the store. May be called twice. The folder is created with the first letter.</summary>
    public static IServiceCollection AddDirectoryDeadLetters(this IServiceCollection services)
    {
        services.TryAddSingleton(provider => new DirectoryDeadLetterStore(
            new SettingsReader(provider.GetRequiredService<IConfiguration>()).Read<DeadLettersOptions>("DeadLetters"),
            provider.GetRequiredService<TimeProvider>(),
            provider.GetService<ILogger<DirectoryDeadLetterStore>>()));
        services.TryAddSingleton<IDeadLetterStore>(provider => provider.GetRequiredService<DirectoryDeadLetterStore>());
        return services;
    }
}
