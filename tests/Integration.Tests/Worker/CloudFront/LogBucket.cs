using System.Text.Json;
using Amazon.S3;
using Amazon.S3.Model;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker.CloudFront;

/// <summary>A bucket of logs: stores them and creates the events that S3 would send.</summary>
internal sealed class LogBucket : IDisposable
{
    private readonly AmazonS3Client _s3;

    private LogBucket(AmazonS3Client s3, string name)
    {
        _s3 = s3;
        Name = name;
    }

    public string Name { get; }

    public static async Task<LogBucket> CreateAsync(AwsEndpoint endpoint) => new(endpoint.CreateS3Client(), await endpoint.CreateBucketAsync("logs"));

    /// <summary>Stores an object.</summary>
    /// <returns>Its event.</returns>
    public async Task<string> PutAsync(string key, byte[] body)
    {
        using MemoryStream stream = new(body);
        PutObjectResponse stored =
            await _s3.PutObjectAsync(new PutObjectRequest { BucketName = Name, Key = key, InputStream = stream, UseChunkEncoding = false });
        return EventOf(key, stored.ETag.Trim('"'), body.Length);
    }

    /// <summary>An event as S3 writes it, the key form-encoded.</summary>
    public string EventOf(string key, string eTag, int size) => JsonSerializer.Serialize(new
    {
        Records = new[]
        {
            new
            {
                eventVersion = "2.1",
                eventSource = "aws:s3",
                eventName = "ObjectCreated:Put",
                s3 = new { bucket = new { name = Name }, @object = new { key = Encode(key), size, eTag, sequencer = "0055AED6DCD90281E5" } },
            },
        },
    });

    public void Dispose() => _s3.Dispose();

    private static string Encode(string key) =>
        Uri.EscapeDataString(key).Replace("%20", "+", StringComparison.Ordinal).Replace("%2F", "/", StringComparison.Ordinal);
}
