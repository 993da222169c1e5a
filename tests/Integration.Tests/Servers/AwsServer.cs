using Integration.Tests.Servers;

[assembly: AssemblyFixture(typeof(AwsServer))]

namespace Integration.Tests.Servers;

/// <summary>
/// SQS and S3 for the whole run: the endpoint in <c>AWS_ENDPOINT_URL</c> (LocalStack) when it is set, otherwise one fauxqs, started
/// when the first test asks. Test classes take it as a constructor parameter.
/// </summary>
public sealed class AwsServer : IAsyncDisposable
{
    private readonly Lazy<Task<FauxqsServer>> _fauxqs = new(FauxqsServer.StartAsync);

    /// <summary>Skips the calling test, or fails it under <c>REQUIRE_SERVERS=1</c>, when no server is available.</summary>
    internal async Task<AwsEndpoint> RequireAsync()
    {
        if (Environment.GetEnvironmentVariable("AWS_ENDPOINT_URL") is { Length: > 0 } given)
        {
            return new AwsEndpoint(
                "the endpoint of AWS_ENDPOINT_URL", new Uri(given), Variable("AWS_ACCESS_KEY_ID", "test"), Variable("AWS_SECRET_ACCESS_KEY", "test"),
                Variable("AWS_REGION", "us-east-1"), TrailingChecksums: true);
        }

        try
        {
            return (await _fauxqs.Value).Endpoint;
        }
        catch (ServerUnavailableException exception)
        {
            RequiredServers.Missing(exception.Message);
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_fauxqs.IsValueCreated && await ((Task)_fauxqs.Value).ContinueWith(start => start.IsCompletedSuccessfully, TaskScheduler.Default))
        {
            await (await _fauxqs.Value).DisposeAsync();
        }
    }

    private static string Variable(string name, string fallback) =>
        Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : fallback;
}
