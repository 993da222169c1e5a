namespace Quayside.Messaging.Aws.S3;

/// <summary>The end of an object's retention.</summary>
internal static class S3Retention
{
    /// <summary>ISO 8601, as AWSSDK.S3 writes it.</summary>
    public const string Format = "yyyy-MM-dd'T'HH:mm:ss'Z'";

    /// <summary>The end in UTC, in whole seconds, never earlier than the setting asks for.</summary>
    public static DateTime EndOf(DateTimeOffset put, TimeSpan retention)
    {
        DateTime end = put.UtcDateTime + retention;
        long part = end.Ticks % TimeSpan.TicksPerSecond;
        return part == 0 ? end : end.AddTicks(TimeSpan.TicksPerSecond - part);
    }
}
