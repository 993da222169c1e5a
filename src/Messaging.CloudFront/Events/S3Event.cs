namespace Messaging.CloudFront.Events;

/// <summary>What an event notification says.</summary>
/// <param name="Objects">Objects that were created, in the event's order.</param>
/// <param name="Ignored">Records of other kinds (removed, restored, tagged, …), and S3's own test event.</param>
/// <param name="Fault">Why there is nothing to work on.</param>
/// <param name="Detail">For people: more about the fault; may be empty, never more than a few words of the event.</param>
internal readonly record struct S3Event(LogObject[] Objects, int Ignored, EventFault Fault = EventFault.None, string Detail = "");

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

/// <summary>Which keys of a bucket are logs; an empty part takes all.</summary>
/// <param name="Prefix">What their keys begin with.</param>
/// <param name="Suffix">What their keys end in.</param>
internal readonly record struct KeyFilter(string Prefix, string Suffix)
{
    public bool Takes(string key) => key.StartsWith(Prefix, StringComparison.Ordinal) && key.EndsWith(Suffix, StringComparison.Ordinal);
}
