using System.Collections.Concurrent;
using Amazon.S3;
using Amazon.S3.Model;

namespace Proof.Kills;

/// <summary>A bucket of its own in the S3 server that S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY name.</summary>
internal sealed class S3Store : IStore
{
    private readonly AmazonS3Client _client;
    private readonly string _bucket = $"kill-{Guid.NewGuid():n}";

    private S3Store(string endpoint, string accessKey, string secretKey, bool isDirect)
    {
        _client = new AmazonS3Client(accessKey, secretKey, new AmazonS3Config { ServiceURL = endpoint, ForcePathStyle = true, AuthenticationRegion = "us-east-1" });
        Arguments =
        [
            "--Routes:archive:Sink=S3", $"--Sinks:S3:Bucket={_bucket}", $"--Sinks:S3:Endpoint={endpoint}", $"--Sinks:S3:Client={(isDirect ? "Direct" : "Sdk")}",
            "--Sinks:S3:Region=us-east-1", $"--Sinks:S3:AccessKeyId={accessKey}", $"--Sinks:S3:SecretAccessKey={secretKey}",
        ];
    }

    /// <summary>Whether there is a server.</summary>
    public static bool IsAvailable => Environment.GetEnvironmentVariable("S3_ENDPOINT") is { Length: > 0 };

    public IReadOnlyList<string> Arguments { get; }

    public static async Task<S3Store> CreateAsync(bool isDirect)
    {
        S3Store store = new(
            Environment.GetEnvironmentVariable("S3_ENDPOINT")!, Environment.GetEnvironmentVariable("S3_ACCESS_KEY")!, Environment.GetEnvironmentVariable("S3_SECRET_KEY")!, isDirect);
        await store._client.PutBucketAsync(store._bucket);
        return store;
    }

    public async Task<IReadOnlyDictionary<string, byte[]>> ReadAsync()
    {
        ConcurrentDictionary<string, byte[]> objects = [];
        await foreach (S3Object[] page in _client.Paginators.ListObjectsV2(new ListObjectsV2Request { BucketName = _bucket }).S3Objects.Chunk(16))
        {
            await Task.WhenAll(page.Select(async found =>
            {
                using GetObjectResponse response = await _client.GetObjectAsync(_bucket, found.Key);
                using MemoryStream body = new();
                await response.ResponseStream.CopyToAsync(body);
                objects[found.Key] = body.ToArray();
            }));
        }

        return objects;
    }

    public ValueTask DisposeAsync()
    {
        _client.Dispose();
        return ValueTask.CompletedTask;
    }
}
