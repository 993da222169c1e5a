namespace Messaging.CloudFront.Events;

/// <summary>One record of an event as it stands there.</summary>
/// <param name="IsCreation">True when an object was created, however.</param>
/// <param name="Bucket">The bucket's name; null when missing.</param>
/// <param name="Key">The key, encoded; null when missing.</param>
/// <param name="VersionId">The version; null when missing.</param>
/// <param name="ETag">The ETag; null when missing.</param>
internal readonly record struct EventRecord(bool IsCreation, string? Bucket, string? Key, string? VersionId, string? ETag);
