using Microsoft.Extensions.DependencyInjection;
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
    /// <c>status</c>, <c>dead-letters</c>, <c>pause</c> and <c>resume</c>, which use the API of a running worker; safe to repeat. Settings: <c>Hosting</c>.
    /// </summary>
    public static IMessageWorkerBuilder AddConsole(this IMessageWorkerBuilder builder)
    {
        IServiceCollection services = builder.AddWebServer().Services;
        if (services.Any(static service => service.ServiceType == typeof(ApiAccess)))
        {
            return builder;
        }

        services.AddSingleton<ApiAccess>();
        services.AddSingleton<WorkerHistory>();
        services.AddSingleton<WorkerStats>();
        services.AddSingleton<StatsEndpoints>();
        services.AddSingleton<DeadLetterEndpoints>();
        services.AddSingleton<RedriveEndpoints>();
        services.AddSingleton<ChangeLog>();
        services.AddSingleton<RouteEndpoints>();
        services.AddSingleton<ApiEndpoints>();
        services.AddSingleton<PageFiles>();
        services.AddSingleton<IWebEndpoints, ConsoleEndpoints>();
        return builder.AddSettings(ConsoleOptions.Settings)
            .AddCommand(StatusCommand.Create)
            .AddCommand(DeadLettersCommand.Create)
            .AddCommand(RouteCommands.CreatePause)
            .AddCommand(RouteCommands.CreateResume);
    }
}
