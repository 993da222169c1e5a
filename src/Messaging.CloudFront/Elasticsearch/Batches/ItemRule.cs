namespace Messaging.CloudFront.Elasticsearch.Batches;

/// <summary>Whose fault an error is. docs/reference/elasticsearch-errors.md has the same table.</summary>
/// <param name="Type">The error's type; empty for every type.</param>
/// <param name="Start">How the reason begins, without a position and "failed to parse:"; empty for every reason.</param>
/// <param name="Verdict"><see cref="ItemVerdict.Refuse"/> or <see cref="ItemVerdict.RefuseUnlessAccepted"/>.</param>
/// <param name="Advice">What to do; <see cref="IndexMark"/> stands for the index's name.</param>
internal sealed record ItemRule(string Type, string Start, ItemVerdict Verdict, string Advice)
{
    public const string IndexMark = "{index}";

    public bool Matches(string type, ReadOnlySpan<char> reason) =>
        (Type.Length == 0 || Type == type) && reason.StartsWith(Start, StringComparison.Ordinal);
}
