namespace ElasticsearchServer;

/// <summary>The result of one operation.</summary>
internal sealed record ItemResult(
    string Action, string Index, string Id, int Status, StoredDocument? Stored = null, string? ErrorType = null, string? ErrorReason = null,
    string? ErrorCause = null)
{
    public static ItemResult Failed(BulkAction action, int status, string type, string reason, string? cause = null) =>
        new(action.Action, action.Index, action.Id ?? "", status, null, type, reason, cause);
}
