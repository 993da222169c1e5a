using Integration.Tests.Servers;

[assembly: AssemblyFixture(typeof(AzuriteServer))]

namespace Integration.Tests.Servers;

/// <summary>One <see cref="AzuriteProcess"/> for the whole run, started when the first test asks. Test classes take it as a constructor parameter.</summary>
public sealed class AzuriteServer : IAsyncDisposable
{
    private readonly Lazy<Task<AzuriteProcess>> _azurite = new(() => AzuriteProcess.StartAsync());

    /// <summary>Skips the calling test, or fails it under <c>REQUIRE_SERVERS=1</c>, when no server is available.</summary>
    internal async Task<AzuriteProcess> RequireAsync()
    {
        try
        {
            return await _azurite.Value;
        }
        catch (ServerUnavailableException exception)
        {
            RequiredServers.Missing(exception.Message);
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_azurite.IsValueCreated && await ((Task)_azurite.Value).ContinueWith(start => start.IsCompletedSuccessfully, TaskScheduler.Default))
        {
            await (await _azurite.Value).DisposeAsync();
        }
    }
}
