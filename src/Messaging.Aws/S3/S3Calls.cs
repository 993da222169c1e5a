using Quayside.Messaging.Costs;

namespace Quayside.Messaging.Aws.S3;

/// <summary>The operations of S3 as they are billed: one request each, of any size.</summary>
internal static class S3Calls
{
    private const string Service = "S3";

    public static readonly ApiOperation Put = new(Service, S3Operations.Put);
    public static readonly ApiOperation Head = new(Service, S3Operations.Head);
    public static readonly ApiOperation Get = new(Service, S3Operations.Get);
    public static readonly ApiOperation List = new(Service, S3Operations.List) { IsLookup = true };

    /// <summary>Sets the prices on a route. S3 bills a list as a PUT and a HEAD as a GET.</summary>
    public static void SetPrices(ApiCalls? calls, AwsCostOptions costs)
    {
        calls?.SetPrice(Put, costs.S3PutPerMillion);
        calls?.SetPrice(List, costs.S3PutPerMillion);
        calls?.SetPrice(Head, costs.S3GetPerMillion);
        calls?.SetPrice(Get, costs.S3GetPerMillion);
    }
}

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
