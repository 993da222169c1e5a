using Integration.Tests.Faults.S3;

namespace Integration.Tests.Worker;

internal sealed class FaultyS3UnderTest(FaultyS3 server) : SinkUnderTest
{
    private const string Bucket = "archive";

    public FaultyS3 Server => server;

    public override IReadOnlyList<string> Arguments { get; } = S3Arguments(server.Endpoint, Bucket);

    /// <summary>PUTs that reached the server, including those whose object existed.</summary>
    public int Puts => server.History.Of().Length;

    public override Task<Dictionary<string, byte[]>> ReadAllAsync() => Task.FromResult(server.Objects.Snapshot(Bucket));

    public override ValueTask DisposeAsync() => server.DisposeAsync();
}
