using Azure.Storage.Blobs;
using Azure.Storage.Blobs.Models;

namespace Proof.Kills;

/// <summary>A container of its own in Azurite.</summary>
internal sealed class BlobStore : IStore
{
    private readonly BlobContainerClient _container;

    private BlobStore(string connectionString)
    {
        _container = new BlobContainerClient(connectionString, $"kill-{Guid.NewGuid():n}");
        Arguments =
            ["--Routes:archive:Sink=AzureBlobs", $"--Sinks:AzureBlobs:Container={_container.Name}", $"--Sinks:AzureBlobs:ConnectionString={connectionString}"];
    }

    public IReadOnlyList<string> Arguments { get; }

    /// <param name="ready">The line that the emulator printed.</param>
    public static async Task<BlobStore> CreateAsync(string ready)
    {
        BlobStore store = new(ready[ready.IndexOf("DefaultEndpointsProtocol", StringComparison.Ordinal)..]);
        await store._container.CreateAsync();
        return store;
    }

    public async Task<IReadOnlyDictionary<string, byte[]>> ReadAsync()
    {
        Dictionary<string, byte[]> blobs = [];
        await foreach (BlobItem[] page in _container.GetBlobsAsync(new GetBlobsOptions()).Chunk(16))
        {
            foreach ((string key, byte[] body) in await Task.WhenAll(
                    page.Select(async found => (found.Name, (await _container.GetBlobClient(found.Name).DownloadContentAsync()).Value.Content.ToArray()))))
            {
                blobs.Add(key, body);
            }
        }

        return blobs;
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
