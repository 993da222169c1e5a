using Azure;
using Azure.Storage.Blobs;
using Integration.Tests.Servers;
using Quayside.Messaging.AzureBlobs;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Testing.Xunit;

namespace Integration.Tests.AzureBlobs;

/// <summary>The sink contract over Azurite; blobs are read back with the client, not with the sink.</summary>
public sealed class BlobSinkContractTests(AzuriteServer azurite) : ObjectSinkContractTests
{
    private BlobContainerClient _container = null!;

    // Azurite checks the condition and stores in two steps; Blob Storage does it in one.
    protected override bool DecidesRaces => false;

    protected override bool KeepsDotsAtEnds => false;

    protected override async ValueTask<IObjectSink> CreateAsync()
    {
        AzuriteProcess server = await azurite.RequireAsync();
        _container = await server.CreateContainerAsync();

        // Azurite has one thread, which 64 writers keep waiting on a busy machine.
        BlobSinkOptions options = new()
        {
            ConnectionString = server.ConnectionString,
            Container = _container.Name,
            AttemptTimeout = TimeSpan.FromMinutes(1),
            TotalTimeout = TimeSpan.FromMinutes(2)
        };
        return new BlobSink(options, new SinkServices { Services = null! });
    }

    protected override async ValueTask<byte[]?> ReadBackAsync(string key)
    {
        try
        {
            return (await _container.GetBlobClient(key).DownloadContentAsync(Token)).Value.Content.ToArray();
        }
        catch (RequestFailedException exception) when (exception.Status == 404)
        {
            return null;
        }
    }
}
