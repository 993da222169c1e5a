namespace Messaging.Costs;

/// <summary>What a route's calls were, in a sentence for people.</summary>
public static class ApiCallReport
{
    /// <summary>
    /// Such as <c>S3 PutObject 500, SQS ReceiveMessage 51 for 500 messages stored: about $5.04 a million; besides, to find queue and bucket,
    /// S3 ListObjectsV2 1; about $0.002525 in all</c>; null when there were no calls.
    /// </summary>
    /// <param name="calls">The route's.</param>
    /// <param name="messages">Messages stored in the same time.</param>
    public static string? Describe(ApiCalls calls, long messages)
    {
        ApiOperation[] used = [.. calls.Operations];
        if (used.Length == 0)
        {
            return null;
        }

        // A call without a price may cost something.
        string about = Array.TrueForAll(used, calls.HasPrice) ? "about" : "at least";
        string all = Invariant($"{about} ${calls.Cost():0.######}");
        if (messages == 0)
        {
            return $"{List(used, calls)} and no message stored; {all} in all";
        }

        // A short run's share of the lookups would make its million look dear.
        ApiOperation[] lookups = [.. used.Where(operation => operation.IsLookup)];
        ApiOperation[] work = [.. used.Except(lookups)];
        double million = work.Sum(calls.Cost) / messages * 1_000_000;
        string stored = Invariant($"for {messages:N0} {(messages == 1 ? "message" : "messages")} stored: {about} ${million:N2} a million");
        return (work, lookups) switch
        {
            ([], _) => $"{List(lookups, calls)} to find queue and bucket; {all} in all",
            (_, []) => $"{List(work, calls)} {stored}; {all} in all",
            _ => $"{List(work, calls)} {stored}; besides, to find queue and bucket, {List(lookups, calls)}; {all} in all",
        };
    }

    /// <summary>Calls by service and operation; null when there were none.</summary>
    public static IReadOnlyDictionary<string, long>? ByName(ApiCalls calls)
    {
        Dictionary<string, long> sent = calls.Operations.ToDictionary(operation => operation.ToString(), calls.Sent, StringComparer.Ordinal);
        return sent.Count == 0 ? null : sent;
    }

    private static string List(ApiOperation[] operations, ApiCalls calls) => string.Join(", ", operations.Select(operation => Invariant($"{operation} {calls.Sent(operation):N0}")));

    private static string Invariant(FormattableString text) => FormattableString.Invariant(text);
}
