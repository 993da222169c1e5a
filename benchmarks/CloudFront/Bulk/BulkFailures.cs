namespace Benchmarks.CloudFront.Bulk;

/// <summary>What a variant finds in a response: whether every item succeeded, and the ids of the items that failed.</summary>
/// <param name="Success">True when no item failed.</param>
/// <param name="FailedIds">In their order; null when none did.</param>
public sealed record BulkFailures(bool Success, List<string>? FailedIds)
{
    /// <summary>No item failed. Created once, so that no variant pays for it.</summary>
    public static BulkFailures None { get; } = new(Success: true, null);
}
