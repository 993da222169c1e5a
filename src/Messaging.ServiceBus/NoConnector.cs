using Messaging.Hosting;
using Messaging.ServiceBus.Port;

namespace Messaging.ServiceBus;

/// <summary>The connector of a build without the Service Bus client library: each call fails with the instructions to build with it.</summary>
public sealed class NoConnector : IServiceBusConnector
{
    /// <summary>What is missing.</summary>
    public const string Missing = "this build has no Azure Service Bus client; the MSBuild switch AzureServiceBus is off by default.";

    /// <summary>What to do.</summary>
    public const string HowToBuild = "Add -p:AzureServiceBus=true to dotnet build, run or test, or set the environment variable AzureServiceBus=true for all of them; or use the image of docker compose --profile servicebus.";

    /// <inheritdoc/>
    /// <exception cref="StartupException">Always.</exception>
    public IServiceBusPump OpenPump(ServiceBusSourceOptions options, PumpSettings settings) => throw NoClient();

    /// <inheritdoc/>
    /// <exception cref="StartupException">Always.</exception>
    public IServiceBusSender OpenSender(ServiceBusSourceOptions options) => throw NoClient();

    private static StartupException NoClient() => new($"ServiceBus: {Missing} {HowToBuild}", ExitCodes.Configuration);
}
