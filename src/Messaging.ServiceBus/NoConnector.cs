using Messaging.Hosting;
using Messaging.ServiceBus.Port;

namespace Messaging.ServiceBus;

/// <summary>Stands where the Service Bus client library is not in the build, and says how to build with it.</summary>
public sealed class NoConnector : IServiceBusConnector
{
    /// <summary>What is missing.</summary>
    public const string Missing = "this build has no Azure Service Bus client; the MSBuild switch AzureServiceBus leaves it out by default.";

    /// <summary>What to do.</summary>
    public const string HowToBuild = "Build and run with it: put -p:AzureServiceBus=true behind dotnet build, run or test, or set the environment variable AzureServiceBus=true for all of them; or use the image of docker compose --profile servicebus.";

    /// <inheritdoc/>
    /// <exception cref="StartupException">Always.</exception>
    public IServiceBusPump OpenPump(ServiceBusSourceOptions options, PumpSettings settings) => throw NoClient();

    /// <inheritdoc/>
    /// <exception cref="StartupException">Always.</exception>
    public IServiceBusSender OpenSender(ServiceBusSourceOptions options) => throw NoClient();

    private static StartupException NoClient() => new($"ServiceBus: {Missing} {HowToBuild}", ExitCodes.Configuration);
}
