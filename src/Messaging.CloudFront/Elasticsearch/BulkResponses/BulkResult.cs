using Messaging.Json;

namespace Messaging.CloudFront.Elasticsearch.BulkResponses;

/// <summary>What an item of a bulk response says, while it is read: places in the response, no copies.</summary>
internal struct BulkResult
{
    /// <summary>0 until it was read.</summary>
    public int Status;

    public bool HasError;

    public bool HasId;

    /// <summary>Null where the id is no string.</summary>
    public JsonText? Id;

    public JsonText? Type;

    public JsonText? Reason;
}
