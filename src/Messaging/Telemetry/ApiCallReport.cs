namespace Quayside.Messaging.Telemetry;

/// <summary>Describes a route's calls in a sentence for people.</summary>
internal static class ApiCallReport
{
    /// <summary>
    /// Such as <c>S3 PutObject 500, SQS ReceiveMessage 51 for 500 messages stored; to find queue and bucket: S3 ListObjectsV2 1</c>; null when there were no
    /// calls.
    /// </summary>
    /// <param name="calls">The route's calls.</param>
    /// <param name="messages">Messages stored in the same time.</param>
    public static string? Describe(ApiCalls calls, long messages)
    {
        ApiOperation[] used = [.. calls.Operations];
        if (used.Length == 0)
        {
            return null;
        }

        if (messages == 0)
        {
            return $"{List(used, calls)} and no message stored";
        }

        // Apart, since their number does not follow the messages.
        ApiOperation[] lookups = [.. used.Where(operation => operation.IsLookup)];
        ApiOperation[] work = [.. used.Except(lookups)];
        string stored = Invariant($"for {messages:N0} {(messages == 1 ? "message" : "messages")} stored");
        return (work, lookups) switch
        {
            ([], _) => $"{List(lookups, calls)} to find queue and bucket",
            (_, []) => $"{List(work, calls)} {stored}",
            _ => $"{List(work, calls)} {stored}; to find queue and bucket: {List(lookups, calls)}",
        };
    }

    /// <summary>Calls by service and operation; null when there were none.</summary>
    public static IReadOnlyDictionary<string, long>? ByName(ApiCalls calls)
    {
        Dictionary<string, long> sent = calls.Operations.ToDictionary(operation => operation.ToString(), calls.Sent, StringComparer.Ordinal);
        return sent.Count == 0 ? null : sent;
    }

    private static string List(ApiOperation[] operations, ApiCalls calls) =>
        string.Join(", ", operations.Select(operation => Invariant($"{operation} {calls.Sent(operation):N0}")));

    private static string Invariant(FormattableString text) => FormattableString.Invariant(text);
}
