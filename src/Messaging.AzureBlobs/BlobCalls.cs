using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.AzureBlobs;

/// <summary>The operations of Blob Storage that the sink calls, by their names in its REST reference.</summary>
internal static class BlobCalls
{
    public const string Service = "AzureBlobs";

    public static readonly ApiOperation Put = new(Service, "PutBlob");
    public static readonly ApiOperation Get = new(Service, "GetBlob");
    public static readonly ApiOperation GetProperties = new(Service, "GetBlobProperties");
    public static readonly ApiOperation List = new(Service, "ListBlobs") { IsLookup = true };
}
