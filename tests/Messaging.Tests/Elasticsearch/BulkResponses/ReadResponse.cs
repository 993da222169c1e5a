using Quayside.Messaging.Elasticsearch.BulkResponses;

namespace Messaging.Tests.Elasticsearch.BulkResponses;

/// <summary>The result of reading a bulk response.</summary>
internal sealed record ReadResponse(BulkParsing Parsing, bool IsShortened, int Items, bool? Errors, IReadOnlyList<ReadFailure> Failures)
{
    public static ReadResponse Malformed { get; } = new(BulkParsing.Malformed, IsShortened: false, 0, null, []);

    public bool Equals(ReadResponse? other) =>
        other is not null
        && Parsing == other.Parsing
        && (Parsing == BulkParsing.Malformed
            || (IsShortened == other.IsShortened && Items == other.Items && Errors == other.Errors && Failures.SequenceEqual(other.Failures)));

    public override int GetHashCode() => HashCode.Combine(Parsing, Items, Errors);

    public override string ToString() => $"{Parsing}, shortened {IsShortened}, {Items} items, errors {Errors}: {string.Join("; ", Failures)}";
}
