using Integration.Tests.Faults.S3;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>An empty sink, the worker's arguments for it, and its objects after the run.</summary>
internal abstract class SinkUnderTest : IAsyncDisposable
{
    /// <summary>The worker's arguments for this sink.</summary>
    public abstract IReadOnlyList<string> Arguments { get; }

    /// <summary>Every object by its key.</summary>
    public abstract Task<Dictionary<string, byte[]>> ReadAllAsync();

    public abstract ValueTask DisposeAsync();

    public static async Task<SinkUnderTest> CreateAsync(SinkKind kind, AwsServer aws, RealS3 realS3)
    {
        switch (kind)
        {
            case SinkKind.Directory:
                return new DirectoryUnderTest();
            case SinkKind.FaultyS3:
                return new FaultyS3UnderTest(await FaultyS3.StartAsync());
            default:
                AwsEndpoint endpoint = kind == SinkKind.RealS3 ? realS3.Require() : await aws.RequireAsync();
                return new BucketUnderTest(endpoint, await endpoint.CreateBucketAsync());
        }
    }

    /// <summary>Asserts that exactly these messages are stored, each under its key with its bytes.</summary>
    public async Task ShouldHoldExactlyAsync(IEnumerable<ArchiveMessage> messages)
    {
        Dictionary<string, byte[]> expected = messages.ToDictionary(message => message.Key, message => message.Body, StringComparer.Ordinal);
        Dictionary<string, byte[]> stored = await ReadAllAsync();
        string[] missing = [.. expected.Keys.Except(stored.Keys)];
        string[] unexpected = [.. stored.Keys.Except(expected.Keys)];
        string[] changed = [
            .. stored
                .Where(entry => expected.TryGetValue(entry.Key, out byte[]? body) && !body.AsSpan().SequenceEqual(entry.Value))
                .Select(entry => entry.Key)];
        $"{missing.Length} missing, {unexpected.Length} unexpected, {changed.Length} with other bytes: {string.Join(' ', missing.Concat(unexpected).Concat(changed).Take(10))}"
            .ShouldBe("0 missing, 0 unexpected, 0 with other bytes: ");
    }

    protected static IReadOnlyList<string> S3Arguments(AwsEndpoint endpoint, string bucket) =>
    [
        "--Routes:archive:Sink=S3",
        $"--Sinks:S3:Bucket={bucket}",
        $"--Sinks:S3:Endpoint={endpoint.ServiceUrl}",
        $"--Sinks:S3:Region={endpoint.Region}",
        $"--Sinks:S3:AccessKeyId={endpoint.AccessKey}",
        $"--Sinks:S3:SecretAccessKey={endpoint.SecretKey}",
    ];
}
