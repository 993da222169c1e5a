namespace Messaging.Aws.S3;

/// <summary>The operations that the worker uses, by their names in S3's API reference; shown to people.</summary>
public static class S3Operations
{
    /// <summary>Stores an object.</summary>
    public const string Put = "PutObject";
    /// <summary>Reads an object's headers.</summary>
    public const string Head = "HeadObject";
    /// <summary>Reads an object.</summary>
    public const string Get = "GetObject";
    /// <summary>Lists keys.</summary>
    public const string List = "ListObjectsV2";
}
