using System.Security.Cryptography;

namespace Integration.Tests.Faults.S3;

/// <param name="Checksums">The x-amz-checksum-* headers that were verified with the PUT.</param>
internal sealed record StoredObject(
    byte[] Body, string ContentType, DateTimeOffset LastModified, IReadOnlyDictionary<string, string> Metadata, IReadOnlyDictionary<string, string> Checksums)
{
    /// <summary>With its quotes.</summary>
    public string ETag { get; } = $"\"{Convert.ToHexStringLower(MD5.HashData(Body))}\"";
}
