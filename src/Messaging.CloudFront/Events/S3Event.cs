namespace Quayside.Messaging.CloudFront.Events;

/// <summary>The content of an event notification.</summary>
/// <param name="Objects">Objects that were created, in the event's order.</param>
/// <param name="Ignored">Number of ignored records: other kinds (removed, restored, tagged, …), other keys, and S3's test event.</param>
/// <param name="Fault">Why the event cannot be processed.</param>
/// <param name="Detail">For people: more about the fault; may be empty, and quotes at most a few words of the event.</param>
internal readonly record struct S3Event(LogObject[] Objects, int Ignored, string? Fault = null, string Detail = "");

/// <summary>The object that one record of an event is about.</summary>
/// <param name="Bucket">Its bucket.</param>
/// <param name="Key">Its key, decoded; 1 to 1,024 bytes of UTF-8.</param>
/// <param name="VersionId">Its version; null when the bucket is not versioned, and the text <c>null</c> when its versioning is suspended.</param>
/// <param name="ETag">Its ETag without quotation marks; null when the event has none.</param>
/// <param name="EncodedKey">The key as the event has it; null when decoding did not change it.</param>
internal sealed record LogObject(string Bucket, string Key, string? VersionId, string? ETag, string? EncodedKey = null)
{
    /// <summary>For people: <c>s3://bucket/key</c>.</summary>
    public string Location => $"s3://{Bucket}/{Key}";
}
