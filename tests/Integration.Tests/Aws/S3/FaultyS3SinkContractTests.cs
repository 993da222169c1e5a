using Integration.Tests.Faults.S3;
using Integration.Tests.Servers;

namespace Integration.Tests.Aws.S3;

/// <summary>Over the fake S3, which needs only the .NET SDK.</summary>
public class FaultyS3SinkContractTests : S3SinkContract
{
    private FaultyS3? _server;

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        if (_server is not null)
        {
            await _server.DisposeAsync();
        }

        GC.SuppressFinalize(this);
    }

    internal override async ValueTask<AwsEndpoint> RequireAsync()
    {
        _server = await FaultyS3.StartAsync();
        return _server.Endpoint;
    }
}
