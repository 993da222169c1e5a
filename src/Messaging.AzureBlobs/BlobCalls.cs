using Quayside.Messaging.Costs;

namespace Quayside.Messaging.AzureBlobs;

/// <summary>The operations of Blob Storage that the sink calls, by their names in its REST reference. Each is billed as one request of any size.</summary>
internal static class BlobCalls
{
    public const string Service = "AzureBlobs";

    public static readonly ApiOperation Put = new(Service, "PutBlob");
    public static readonly ApiOperation Get = new(Service, "GetBlob");
    public static readonly ApiOperation GetProperties = new(Service, "GetBlobProperties");
    public static readonly ApiOperation List = new(Service, "ListBlobs") { IsLookup = true };

    /// <summary>Sets the prices on a route.</summary>
    public static void SetPrices(ApiCalls? calls, BlobCostOptions costs)
    {
        calls?.SetPrice(Put, costs.BlobWritePerMillion);
        calls?.SetPrice(List, costs.BlobWritePerMillion);
        calls?.SetPrice(Get, costs.BlobReadPerMillion);
        calls?.SetPrice(GetProperties, costs.BlobReadPerMillion);
    }
}
