namespace Messaging.Aws.S3;

/// <summary>The operations the worker needs, by their names in S3's API reference; shown to people.</summary>
internal static class S3Operations
{
    public const string Put = "PutObject";
    public const string Head = "HeadObject";
    public const string Get = "GetObject";
    public const string List = "ListObjectsV2";
}
