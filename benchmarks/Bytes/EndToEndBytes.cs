using Benchmarks.EndToEnd;
using Benchmarks.EndToEnd.Clients;

namespace Benchmarks.Bytes;

/// <summary>The bytes allocated per message from SQS to S3, on all threads of the worker's process.</summary>
internal static class EndToEndBytes
{
    public const string Name = "EndToEnd/WorkerDirect/1024/64";

    // Unlike a chain's, these bytes differ by some tens between runs: they depend on how many messages share a call, and on what the
    // pools had to add.
    private const int Step = 500;

    private const int InFlight = 64;

    /// <returns>Bytes per message, rounded up.</returns>
    /// <exception cref="InvalidOperationException">The worker lost or damaged a message.</exception>
    public static async Task<long> MeasureAsync(CancellationToken cancellationToken)
    {
        EndToEndOptions options = new([ClientKind.WorkerDirect], [InFlight], Messages: 20_000, Passes: 3, Sizes: [], WarmUp: 10_000);
        using EndToEndRun run = new(options, TextWriter.Null);
        (IReadOnlyList<EndToEndRow> rows, _) = await run.RunAsync(cancellationToken);
        return (long)Math.Ceiling(rows.Single().Bytes / Step) * Step;
    }
}
