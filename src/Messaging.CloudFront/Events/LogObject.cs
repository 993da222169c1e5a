namespace Messaging.CloudFront.Events;

/// <summary>The object that one record of an event is about.</summary>
/// <param name="Bucket">Its bucket.</param>
/// <param name="Key">Its key, decoded; 1 to 1,024 bytes of UTF-8.</param>
/// <param name="VersionId">Its version; null where the bucket has none.</param>
/// <param name="ETag">Its ETag without quotation marks; null where the event has none.</param>
internal sealed record LogObject(string Bucket, string Key, string? VersionId, string? ETag)
{
    /// <summary>For people: <c>s3://bucket/key</c>.</summary>
    public string Location => $"s3://{Bucket}/{Key}";
}
