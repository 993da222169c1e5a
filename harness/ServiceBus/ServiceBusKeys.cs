using System.Globalization;
using Microsoft.Extensions.Configuration;

namespace Harness.ServiceBus;

/// <summary>The harness's defaults for Service Bus.</summary>
internal static class ServiceBusKeys
{
    /// <summary>The environment variable for the connection string, shared with the tests.</summary>
    public const string ConnectionVariable = "SERVICEBUS_CONNECTION_STRING";

    /// <summary>The queue that deploy/servicebus/Config.json declares for the harness.</summary>
    public const string Queue = "harness";

    /// <param name="given">The configuration from files, environment and command line.</param>
    /// <param name="environment">Reads an environment variable.</param>
    /// <param name="concurrency">Maximum concurrent calls.</param>
    public static IEnumerable<string> Defaults(IConfiguration given, Func<string, string?> environment, int concurrency)
    {
        IConfigurationSection bus = given.GetSection("Sources:ServiceBus");
        if (bus["ConnectionString"] is null && bus["FullyQualifiedNamespace"] is null && environment(ConnectionVariable) is { } connection)
        {
            yield return $"--Sources:ServiceBus:ConnectionString={connection}";
        }

        if (bus["Queue"] is null && bus["Topic"] is null)
        {
            yield return $"--Sources:ServiceBus:Queue={Queue}";
        }

        if (bus["MaxConcurrentCalls"] is null)
        {
            yield return string.Create(CultureInfo.InvariantCulture, $"--Sources:ServiceBus:MaxConcurrentCalls={concurrency}");
        }

        yield return string.Create(CultureInfo.InvariantCulture, $"--Intake:Concurrency={concurrency}");
    }
}
