using System.Collections.Concurrent;
using Amazon.Runtime;
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
        _client =
            new AmazonS3Client(accessKey, secretKey, new AmazonS3Config { ServiceURL = endpoint, ForcePathStyle = true, AuthenticationRegion = "us-east-1" });
        Arguments =
        [
            "--Routes:archive:Sink=S3", $"--Sinks:S3:Bucket={_bucket}", $"--Sinks:S3:Endpoint={endpoint}", $"--Sinks:S3:Client={(isDirect ? "Auto" : "Sdk")}",
            "--Sinks:S3:Region=us-east-1", $"--Sinks:S3:AccessKeyId={accessKey}", $"--Sinks:S3:SecretAccessKey={secretKey}",
        ];
    }

    /// <summary>The server; null for none.</summary>
    public static string? Endpoint => Environment.GetEnvironmentVariable("S3_ENDPOINT") is { Length: > 0 } endpoint ? endpoint : null;

    /// <summary>Why the server cannot be used; null when it can, or when there is none.</summary>
    public static async Task<string?> FindProblemAsync()
    {
        if (Endpoint is null)
        {
            return null;
        }

        if (Array.Find(["S3_ACCESS_KEY", "S3_SECRET_KEY"], name => string.IsNullOrEmpty(Environment.GetEnvironmentVariable(name))) is { } missing)
        {
            return $"S3_ENDPOINT is set, and {missing} is not.";
        }

        try
        {
            await using S3Store store = Create(isDirect: true);
            await store._client.ListBucketsAsync();
            return null;
        }
        catch (Exception exception) when (exception is AmazonClientException or AmazonServiceException or HttpRequestException or ArgumentException)
        {
            return $"S3_ENDPOINT, {Endpoint}, lists no buckets: {exception.Message}";
        }
    }

    public IReadOnlyList<string> Arguments { get; }

    public static async Task<S3Store> CreateAsync(bool isDirect)
    {
        S3Store store = Create(isDirect);
        await store._client.PutBucketAsync(store._bucket);
        return store;
    }

    private static S3Store Create(bool isDirect) => new(
        Endpoint!, Environment.GetEnvironmentVariable("S3_ACCESS_KEY")!, Environment.GetEnvironmentVariable("S3_SECRET_KEY")!, isDirect);

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
