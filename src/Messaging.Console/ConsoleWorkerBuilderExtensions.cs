using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Quayside.Messaging.Console;
using Quayside.Messaging.Console.Api;
using Quayside.Messaging.Console.Commands;
using Quayside.Messaging.Console.Page;
using Quayside.Messaging.Http.Web;

namespace Quayside.Messaging.Hosting;

/// <summary>Adds the console to a worker.</summary>
public static class ConsoleWorkerBuilderExtensions
{
    /// <summary>
    /// Adds the worker's page (<c>/</c>) with its API (<c>/api/v1</c>) to the web server, which it adds too where <c>AddHttp()</c> does not, and the commands
    /// <c>status</c>, <c>dead-letters</c>, <c>pause</c> and <c>resume</c>, which use the API of a running worker. Settings: <c>Hosting</c>.
    /// </summary>
    public static IMessageWorkerBuilder AddConsole(this IMessageWorkerBuilder builder)
    {
        IServiceCollection services = builder.AddWebServer().Services;
        services.TryAddSingleton<ApiAccess>();
        services.TryAddSingleton<WorkerHistory>();
        services.TryAddSingleton<WorkerStats>();
        services.TryAddSingleton<StatsEndpoints>();
        services.TryAddSingleton<DeadLetterEndpoints>();
        services.TryAddSingleton<RedriveEndpoints>();
        services.TryAddSingleton<ChangeLog>();
        services.TryAddSingleton<RouteEndpoints>();
        services.TryAddSingleton<ApiEndpoints>();
        services.TryAddSingleton<PageFiles>();
        services.AddSingleton<IWebEndpoints, ConsoleEndpoints>();
        return builder.AddSettings(ConsoleOptions.Settings)
            .AddCommand(StatusCommand.Create)
            .AddCommand(DeadLettersCommand.Create)
            .AddCommand(RouteCommands.CreatePause)
            .AddCommand(RouteCommands.CreateResume);
    }
}
