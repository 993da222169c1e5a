using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws.S3;

/// <summary>The operations of S3, as their calls are counted.</summary>
internal static class S3Calls
{
    private const string Service = "S3";

    public static readonly ApiOperation Put = new(Service, S3Operations.Put);
    public static readonly ApiOperation Head = new(Service, S3Operations.Head);
    public static readonly ApiOperation Get = new(Service, S3Operations.Get);
    public static readonly ApiOperation List = new(Service, S3Operations.List) { IsLookup = true };
}

/// <summary>The operations that the worker uses, by their names in S3's API reference; shown to people.</summary>
internal static class S3Operations
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
