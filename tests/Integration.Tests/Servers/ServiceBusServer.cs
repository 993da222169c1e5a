using Integration.Tests.Servers;
using Integration.Tests.AzureServiceBus;

[assembly: AssemblyFixture(typeof(ServiceBusServer))]

namespace Integration.Tests.Servers;

/// <summary>
/// Azure Service Bus for the whole run: the namespace or emulator of <c>SERVICEBUS_CONNECTION_STRING</c> when it is set, otherwise one
/// <see cref="ServiceBusEmulator"/>, started when the first test asks. Test classes take it as a constructor parameter.
/// </summary>
public sealed class ServiceBusServer : IAsyncDisposable
{
    private const string Variable = "SERVICEBUS_CONNECTION_STRING";

    // Declared by deploy/servicebus/Config.json, and shared by the tests, of which one has it at a time.
    private const string SharedQueue = "tests";

    private readonly SemaphoreSlim _sharedQueue = new(1);

    private readonly Lazy<Task<ServiceBusEmulator>> _emulator = new(() => ServiceBusEmulator.StartAsync());

    private static string? Given => Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } given ? given : null;

    /// <summary>The connection string. Skips the calling test, or fails it under <c>REQUIRE_SERVERS=1</c>, when no server is available.</summary>
    internal async Task<string> RequireAsync() => Given ?? (await RequireEmulatorAsync()).ConnectionString;

    /// <summary>An empty queue: of the test's own on the emulator, otherwise the shared one, emptied. Skips as <see cref="RequireAsync"/> does.</summary>
    internal async Task<ServiceBusQueue> RequireQueueAsync()
    {
        if (Given is { } connectionString)
        {
            await _sharedQueue.WaitAsync(TestContext.Current.CancellationToken);
            ServiceBusQueue shared = new(connectionString, SharedQueue, emulator: null, () => _sharedQueue.Release());
            await shared.EmptyAsync();
            return shared;
        }

        return await ServiceBusQueue.CreateAsync(await RequireEmulatorAsync());
    }

    public async ValueTask DisposeAsync()
    {
        _sharedQueue.Dispose();
        if (_emulator.IsValueCreated && await ((Task)_emulator.Value).ContinueWith(start => start.IsCompletedSuccessfully, TaskScheduler.Default))
        {
            await (await _emulator.Value).DisposeAsync();
        }
    }

    /// <summary>The emulator of the run, for entities that <see cref="Variable"/> does not have. Skips as <see cref="RequireAsync"/> does.</summary>
    internal async Task<ServiceBusEmulator> RequireEmulatorAsync()
    {
        try
        {
            return await _emulator.Value;
        }
        catch (ServerUnavailableException exception)
        {
            RequiredServers.Missing(exception.Message);
            throw;
        }
    }
}
