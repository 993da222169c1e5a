namespace Benchmarks.CloudFront.Bulk;

/// <summary>What a variant makes of a response: whether it could be read, and the ids of the items that failed.</summary>
/// <param name="Success">True when no item failed.</param>
/// <param name="FailedIds">In their order; null when none did.</param>
public sealed record BulkFailures(bool Success, List<string>? FailedIds)
{
    /// <summary>Nothing failed; made once, so that no variant pays for saying so.</summary>
    public static BulkFailures None { get; } = new(Success: true, null);
}
