using System.Globalization;
using Microsoft.Extensions.Configuration;

namespace Harness.ServiceBus;

/// <summary>What the harness configures for Service Bus where nothing else does.</summary>
internal static class ServiceBusKeys
{
    /// <summary>The connection string that tests and harness share.</summary>
    public const string ConnectionVariable = "SERVICEBUS_CONNECTION_STRING";

    /// <summary>The queue that deploy/servicebus/Config.json declares for the harness.</summary>
    public const string Queue = "harness";

    /// <param name="given">What files, environment and command line say.</param>
    /// <param name="environment">Reads a variable.</param>
    /// <param name="concurrency">Calls at once.</param>
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

        yield return string.Create(CultureInfo.InvariantCulture, $"--Intake:Concurrency={concurrency}");
    }
}
