using Messaging.Hosting;
using Messaging.ServiceBus.Port;

namespace Messaging.ServiceBus;

/// <summary>What this build has of the Service Bus client library, and what to say when it has none.</summary>
internal static partial class ServiceBusBuild
{
    public const string Missing = "this build has no Azure Service Bus client; the MSBuild switch AzureServiceBus leaves it out by default.";

    public const string HowToBuild = "Build and run with it: put -p:AzureServiceBus=true behind dotnet build, run or test, or set the environment variable AzureServiceBus=true for all of them; or use the image of docker compose --profile servicebus.";

    /// <summary>The client library's door; null in a build without it.</summary>
    public static IServiceBusConnector? FindConnector()
    {
        IServiceBusConnector? connector = null;
        OpenConnector(ref connector);
        return connector;
    }

    /// <summary>The client library's door.</summary>
    /// <exception cref="StartupException">This build has none.</exception>
    public static IServiceBusConnector RequireConnector() =>
        FindConnector() ?? throw NoClient();

    public static StartupException NoClient() => new($"ServiceBus: {Missing} {HowToBuild}", ExitCodes.Configuration);

    /// <summary>Written in a file that only builds with the switch <c>AzureServiceBus</c> compile; elsewhere the call is left out.</summary>
    static partial void OpenConnector(ref IServiceBusConnector? connector);
}
