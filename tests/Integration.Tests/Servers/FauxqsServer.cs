using System.Text.RegularExpressions;
using Integration.Tests.Processes;

namespace Integration.Tests.Servers;

/// <summary>
/// fauxqs, a third-party emulator of SQS and S3, in its own process on a free loopback port. Tests share one through
/// <see cref="AwsServer"/>; a test that kills or stops its server starts its own.
/// </summary>
internal sealed partial class FauxqsServer : IAsyncDisposable
{
    private FauxqsServer(CapturedProcess process, AwsEndpoint endpoint)
    {
        Process = process;
        Endpoint = endpoint;
    }

    /// <summary>For tests that make the server fail: signals, kill.</summary>
    public CapturedProcess Process { get; }

    public AwsEndpoint Endpoint { get; }

    /// <exception cref="ServerUnavailableException">Node.js is missing or too old, or the packages cannot be installed.</exception>
    public static async Task<FauxqsServer> StartAsync()
    {
        string folder = RepositoryFolder.Combine("tests", "servers", "fauxqs");
        string node = await NodeRuntime.LocateAsync();
        await NodeRuntime.InstallPackagesAsync(folder);

        CapturedProcess process = CapturedProcess.Start(node, Path.Combine(folder, "serve.mjs"));
        try
        {
            CapturedLine ready = await process.WaitForLineAsync("^fauxqs listening on http://");
            var address = new Uri(Address().Match(ready.Text).Value);
            return new FauxqsServer(process, new AwsEndpoint("fauxqs", address, "test", "test", "us-east-1", TrailingChecksums: true));
        }
        catch
        {
            await process.DisposeAsync();
            throw;
        }
    }

    /// <summary>As <see cref="StartAsync"/>; skips the calling test, or fails it under <c>REQUIRE_SERVERS=1</c>, when it cannot run.</summary>
    public static async Task<FauxqsServer> RequireOwnAsync()
    {
        try
        {
            return await StartAsync();
        }
        catch (ServerUnavailableException exception)
        {
            RequiredServers.Missing(exception.Message);
            throw;
        }
    }

    public ValueTask DisposeAsync() => Process.DisposeAsync();

    [GeneratedRegex(@"http://127\.0\.0\.1:\d+")]
    private static partial Regex Address();
}
