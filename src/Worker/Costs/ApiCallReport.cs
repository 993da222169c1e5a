using System.Globalization;

namespace Worker.Costs;

/// <summary>What a route's calls were, in a sentence for people.</summary>
internal static class ApiCallReport
{
    /// <summary>Such as <c>SQS ReceiveMessage 104, S3 PutObject 1,000 for 1,000 messages; about $5.08 a million messages</c>; null when there were no calls.</summary>
    /// <param name="calls">The route's.</param>
    /// <param name="messages">Messages stored in the same time.</param>
    /// <param name="costs">The prices.</param>
    public static string? Describe(ApiCalls calls, long messages, CostOptions costs)
    {
        ApiOperation[] used = [.. ApiOperations.All.Where(operation => calls.Sent(operation) > 0)];
        if (used.Length == 0)
        {
            return null;
        }

        double cost = calls.Cost(costs);
        if (messages == 0)
        {
            return Invariant($"{List(used, operation => calls.Sent(operation), "N0")} and no message stored; about ${cost:0.######}");
        }

        return Invariant($"{List(used, operation => calls.Sent(operation) * 1_000.0 / messages, "N1")} for 1,000 messages; about ${cost / messages * 1_000_000:N2} a million messages");
    }

    /// <summary>Calls by service and operation; null when there were none.</summary>
    public static IReadOnlyDictionary<string, long>? ByName(ApiCalls calls)
    {
        Dictionary<string, long> sent = ApiOperations.All
            .Where(operation => calls.Sent(operation) > 0)
            .ToDictionary(operation => $"{ApiOperations.ServiceOf(operation)} {ApiOperations.NameOf(operation)}", calls.Sent, StringComparer.Ordinal);
        return sent.Count == 0 ? null : sent;
    }

    private static string List(ApiOperation[] used, Func<ApiOperation, double> count, string format) => string.Join(
        ", ",
        used.Select(operation => $"{ApiOperations.ServiceOf(operation)} {ApiOperations.NameOf(operation)} {count(operation).ToString(format, CultureInfo.InvariantCulture)}"));

    private static string Invariant(FormattableString text) => FormattableString.Invariant(text);
}
