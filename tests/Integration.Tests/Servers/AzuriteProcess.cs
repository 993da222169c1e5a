using Azure.Storage.Blobs;
using Integration.Tests.Processes;

namespace Integration.Tests.Servers;

/// <summary>
/// Azurite, Microsoft's emulator of Blob Storage (tests/servers/azurite), in its own process on a free loopback port. Tests share one through
/// <see cref="AzuriteServer"/>; a test that kills or stops its server starts its own.
/// </summary>
internal sealed class AzuriteProcess : IAsyncDisposable
{
    private const string Ready = "azurite listening on ";

    private AzuriteProcess(CapturedProcess process, string connectionString)
    {
        Process = process;
        ConnectionString = connectionString;
    }

    public CapturedProcess Process { get; }

    public string ConnectionString { get; }

    /// <exception cref="ServerUnavailableException">Node.js is missing or too old, or the packages cannot be installed.</exception>
    public static async Task<AzuriteProcess> StartAsync(int port = 0)
    {
        string folder = RepositoryFolder.Combine("tests", "servers", "azurite");
        string node = await NodeRuntime.LocateAsync();
        await NodeRuntime.InstallPackagesAsync(folder);

        CapturedProcess process = CapturedProcess.Start(node, Path.Combine(folder, "serve.mjs"), $"{port}");
        try
        {
            return new AzuriteProcess(process, (await process.WaitForLineAsync($"^{Ready}")).Text[Ready.Length..]);
        }
        catch
        {
            await process.DisposeAsync();
            throw;
        }
    }

    /// <summary>As <see cref="StartAsync"/>; skips the calling test, or fails it under <c>REQUIRE_SERVERS=1</c>, when it cannot run.</summary>
    public static async Task<AzuriteProcess> RequireOwnAsync(int port = 0)
    {
        try
        {
            return await StartAsync(port);
        }
        catch (ServerUnavailableException exception)
        {
            RequiredServers.Missing(exception.Message);
            throw;
        }
    }

    /// <summary>A container that no other test has.</summary>
    public async Task<BlobContainerClient> CreateContainerAsync()
    {
        // Retries of the client would hide what a test does to the server.
        BlobContainerClient container =
            new(ConnectionString, $"test-{Guid.NewGuid():n}", new BlobClientOptions { TrimBlobNameSlashes = false, Retry = { MaxRetries = 0 } });
        await container.CreateAsync();
        return container;
    }

    public ValueTask DisposeAsync() => Process.DisposeAsync();
}
