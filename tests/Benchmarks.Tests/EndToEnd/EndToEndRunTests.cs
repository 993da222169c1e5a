using Benchmarks.EndToEnd;
using Benchmarks.EndToEnd.Clients;

namespace Benchmarks.Tests.EndToEnd;

/// <summary>End to end, with the server and each client in its own process. The run fails when a message is lost or damaged.</summary>
[Trait("Category", "Long")]
public sealed class EndToEndRunTests
{
    [Fact]
    public async Task Run_EveryClient_StoresEveryMessageBeforeItsDelete()
    {
        EndToEndOptions options = new(Enum.GetValues<ClientKind>(), [1, 16], Messages: 500, Passes: 1, Sizes: [], WarmUp: 50);
        using EndToEndRun run = new(options, TextWriter.Null);

        (IReadOnlyList<EndToEndRow> rows, _) = await run.RunAsync(TestContext.Current.CancellationToken);

        rows.Select(row => (row.Client, row.InFlight)).ShouldBe(
            from inFlight in (int[])[1, 16] from client in Enum.GetValues<ClientKind>() select (client, inFlight), ignoreOrder: true);
        rows.ShouldAllBe(row => row.Bytes > 1_000 && row.CpuMicroseconds > 0 && row.P99 >= row.P50 && row.Calls >= 100);
    }

    [Fact]
    public async Task Run_Bundles_StoresEveryMessageBeforeItsDelete()
    {
        EndToEndOptions options = new([ClientKind.WorkerDirect], [400], Messages: 800, Passes: 1, Sizes: [], WarmUp: 80, Bundle: 50);
        using EndToEndRun run = new(options, TextWriter.Null);

        (IReadOnlyList<EndToEndRow> rows, _) = await run.RunAsync(TestContext.Current.CancellationToken);

        rows.Single().CpuMicroseconds.ShouldBeGreaterThan(0);
    }
}
