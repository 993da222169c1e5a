using Quayside.Messaging.Elasticsearch;
using Quayside.Messaging.Elasticsearch.BulkResponses;
using static Messaging.Tests.Elasticsearch.BulkResponses.BulkResponses;

namespace Messaging.Tests.Elasticsearch.Batches;

/// <summary>Whose fault the errors of Elasticsearch 7 to 9 and OpenSearch 1 to 3 are, as those servers word them.</summary>
public sealed class ItemRulesTests
{
    private static readonly ItemRules Rules = new("logs");

    [Theory]
    [InlineData(400, "illegal_argument_exception", "Limit of total fields [1000] has been exceeded while adding new fields [1]")]
    [InlineData(400, "illegal_argument_exception", "Limit of total fields [1000] has been exceeded")]
    [InlineData(400, "illegal_argument_exception", "Limit of total fields [1000] in index [logs-000001] has been exceeded")]
    [InlineData(400, "document_parsing_exception", "[1:310] failed to parse: Limit of total fields [1000] has been exceeded")]
    [InlineData(400, "mapper_parsing_exception", "failed to parse: Limit of mapping depth [20] has been exceeded due to object field [a.b]")]
    [InlineData(400, "illegal_argument_exception", "Limit of mapping depth [20] in index [logs] has been exceeded due to object field [a.b]")]
    [InlineData(400, "illegal_argument_exception", "Limit of nested fields [50] has been exceeded")]
    [InlineData(400, "illegal_argument_exception", "Limit of total dimension fields [16] has been exceeded")]
    [InlineData(400, "illegal_argument_exception", "Field name [a] is longer than the limit of [50] characters")]
    [InlineData(400, "illegal_argument_exception", "Field name [a] in index [logs-1] is too long. The limit is set to [50] characters but was [51] characters")]
    [InlineData(
        400, "mapper_parsing_exception",
        "The number of nested documents has exceeded the allowed limit of [10000]. "
            + "This limit can be set by changing the [index.mapping.nested_objects.limit] index level setting.")]
    [InlineData(
        400, "document_parsing_exception",
        "[1:1150968] The total number of objects across all arrays in the document has exceeded the allowed limit of [20000].")]
    [InlineData(400, "illegal_argument_exception", "Number of documents in shard [logs][0] exceeds the limit of [2147483519] documents per shard")]
    [InlineData(400, "illegal_argument_exception", "number of documents in the index cannot exceed 2147483519")]
    [InlineData(
        400, "illegal_argument_exception",
        "no write index is defined for alias [logs]. The write index may be explicitly disabled using is_write_index=false or the alias points to multiple "
            + "indices without one being designated as a write index")]
    [InlineData(400, "illegal_argument_exception", "unable to return a single index as the index and options provided got resolved to multiple indices")]
    [InlineData(400, "illegal_argument_exception", "only write ops with an op_type of create are allowed in data streams")]
    [InlineData(
        400, "illegal_argument_exception",
        "index request with op_type=create targeting backing indices is disallowed, target corresponding data stream [x] instead")]
    [InlineData(400, "illegal_argument_exception", "no matching index template found for data stream [x]")]
    [InlineData(400, "illegal_argument_exception", "pipeline with id [geo] does not exist")]
    [InlineData(400, "graph_structure_exception", "Too many nested pipelines. Cannot have more than 100 nested pipelines")]
    [InlineData(400, "illegal_argument_exception", "Rejecting mapping update to [other] as the final mapping would have more than 1 type: [_doc, doc]")]
    [InlineData(400, "mapper_parsing_exception", "Failed to parse mapping: analyzer [x] has not been configured in mappings")]
    [InlineData(400, "illegal_argument_exception", "unknown setting [index.x] please check that any required plugins are installed")]
    [InlineData(400, "illegal_argument_exception", "_id must be unset or set to [x] but was [y] because [.ds-x-1] is in time_series mode")]
    [InlineData(400, "document_parsing_exception", "[1:9] failed to parse: _id must be unset or set to [x] but was [y] because [z] is in time_series mode")]
    [InlineData(
        400, "validation_exception",
        "Validation Failed: 1: this action would add [2] shards, but this cluster currently has [1000]/[1000] maximum normal shards open;")]
    [InlineData(
        400, "illegal_argument_exception",
        "Validation Failed: 1: this action would add [2] total shards, but this cluster currently has [1000]/[1000] maximum shards open;")]
    [InlineData(400, "index_closed_exception", "closed")]
    [InlineData(400, "invalid_index_name_exception", "Invalid index name [X], must be lowercase")]
    [InlineData(400, "routing_missing_exception", "routing is required for [x]/[d0]")]
    [InlineData(400, "security_exception", "unexpected")]
    [InlineData(400, "cluster_block_exception", "index [x] blocked by: [FORBIDDEN/8/index write (api)];")]
    [InlineData(403, "cluster_block_exception", "index [logs] blocked by: [FORBIDDEN/5/index read-only (api)];")]
    [InlineData(403, "index_create_block_exception", "blocked by: [FORBIDDEN/10/cluster create-index blocked (api)];")]
    [InlineData(403, "security_exception", "no permissions for [indices:data/write/bulk[s]] and User [name=worker]")]
    [InlineData(403, "status_exception", "a following engine does not accept operations without an assigned sequence number")]
    [InlineData(404, "index_not_found_exception", "no such index [logs] and [action.auto_create_index] is [false]")]
    [InlineData(404, "resource_not_found_exception", "x")]
    [InlineData(401, "security_exception", "missing authentication credentials")]
    public void Judge_FaultOfTheIndex_RefusesEveryDocument(int status, string type, string reason) => Judge(status, type, reason).ShouldBe(ItemVerdict.Refuse);

    [Theory]
    [InlineData("strict_dynamic_mapping_exception", "mapping set to strict, dynamic introduction of [x] within [_doc] is not allowed")]
    [InlineData("strict_dynamic_mapping_exception", "[1:6] mapping set to strict, dynamic introduction of [x] within [_doc] is not allowed")]
    [InlineData("document_parsing_exception", "[1:2] failed to parse: data stream timestamp field [@timestamp] is missing")]
    [InlineData("mapper_parsing_exception", "failed to parse: data stream timestamp field [@timestamp] is missing")]
    [InlineData("illegal_argument_exception", "data stream timestamp field [@timestamp] encountered multiple values")]
    [InlineData("illegal_argument_exception", "Error get data stream timestamp field: timestamp field is missing")]
    [InlineData("timestamp_error", "the document timestamp [2023-08-07T00:00:00.000Z] is outside of ranges of currently writable indices []")]
    [InlineData("illegal_argument_exception", "the document timestamp [2023-08-07T00:00:00.000Z] is outside of ranges of currently writable indices []")]
    [InlineData(
        "document_parsing_exception",
        "[1:9] failed to parse: time series index @timestamp value [2023-01-01T00:00:00Z] must be larger than 2026-01-01T00:00:00Z")]
    [InlineData("illegal_argument_exception", "Error extracting routing: source didn't contain any routing fields")]
    [InlineData("illegal_argument_exception", "a sentence of the future about the index [logs]")]
    [InlineData("some_new_exception", "backing index [.ds-logs-2026.01.31-000001] is not writable")]
    public void Judge_RequirementOfTheIndex_DependsOnTheOtherDocuments(string type, string reason) =>
    Judge(400, type, reason).ShouldBe(ItemVerdict.RefuseUnlessAccepted);

    // A reason quotes the document: no sender may stop the route with a text in its message.
    [Theory]
    [InlineData(
        "document_parsing_exception",
        "[1:20] failed to parse field [ip] of type [ip] in document with id 'x'. Preview of field's value: 'Limit of total fields [1] has been exceeded'")]
    [InlineData(
        "document_parsing_exception",
        "[1:20] failed to parse field [ip] of type [ip] in document with id 'x'. Preview of field's value: '[logs] [.ds-logs-1]'")]
    [InlineData("mapper_parsing_exception", "failed to parse field [bytes] of type [long] in document with id 'x'")]
    [InlineData("document_parsing_exception", "[5:1] object mapping for [a] tried to parse field [a] as object, but found a concrete value")]
    [InlineData("illegal_argument_exception", "mapper [a] cannot be changed from type [long] to [text]")]
    [InlineData("illegal_argument_exception", "Document contains at least one immense term in field=\\\"x\\\"")]
    [InlineData("illegal_argument_exception", "field [user] not present as part of path [user.name]")]
    [InlineData("too_large_exception", "")]
    [InlineData("", "")]
    public void Judge_EverythingElse_RejectsTheDocument(string type, string reason) => Judge(400, type, reason).ShouldBe(ItemVerdict.Reject);

    [Theory]
    [InlineData(409, "version_conflict_engine_exception", "Exists")]
    [InlineData(409, "other_conflict", "Retry")]
    [InlineData(400, "resource_already_exists_exception", "Retry")]
    [InlineData(429, "cluster_block_exception", "Retry")]
    [InlineData(429, "es_rejected_execution_exception", "Retry")]
    [InlineData(429, "rejected_execution_exception", "Retry")]
    [InlineData(503, "cluster_block_exception", "Retry")]
    [InlineData(503, "process_cluster_event_timeout_exception", "Retry")]
    [InlineData(500, "illegal_state_exception", "Retry")]
    public void Judge_DuplicatesAndOutages_AreNoRejections(int status, string type, string verdict) =>
    Judge(status, type, "Limit of total fields").ToString().ShouldBe(verdict);

    [Fact]
    public void Find_EveryRule_IsReachableAndHasAdvice()
    {
        foreach (ItemRule rule in ItemRules.All)
        {
            string type = rule.Type.Length == 0 ? "any_exception" : rule.Type;

            Rules.Find(type, $"{rule.Start}x").ShouldBe(rule);
            ElasticsearchAdvice.For(new BulkFault(BulkFaultKind.Refused, type, 400, $"{rule.Start}x"), Rules, "logs").ShouldEndWith(".");
        }
    }

    // APPROVE=1 writes the table.
    [Fact]
    public void Page_HasEveryRule()
    {
        string path = Path.Combine(FindRepository(), "docs", "reference", "faults.md");
        string text = File.ReadAllText(path);
        const string Head = "| fault of | types | any type, where the reason begins with |\n|---|---|---|\n";
        int start = text.IndexOf(Head, StringComparison.Ordinal) + Head.Length;
        int end = text.IndexOf("\n\n", start, StringComparison.Ordinal) + 1;
        string expected = string.Concat(ItemRules.All.GroupBy(rule => rule.Verdict).Select(rules =>
            $"| {(rules.Key == ItemVerdict.Refuse ? "the index" : "the index, unless it accepts another document of the message")} | "
                + $"{List(rules.Select(rule => rule.Type))} | {List(rules.Where(rule => rule.Type.Length == 0).Select(rule => rule.Start.Trim()))} |\n"));
        if (Environment.GetEnvironmentVariable("APPROVE") == "1")
        {
            File.WriteAllText(path, text[..start] + expected + text[end..]);
        }

        text[start..end].ShouldBe(expected, "Where the change is meant, run once with APPROVE=1 and read the diff.");
    }

    private static string List(IEnumerable<string> names) => string.Join(", ", names.Where(name => name.Length > 0).Distinct().Select(name => $"`{name}`"));

    private static string FindRepository()
    {
        string? folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "Worker.sln")))
        {
            folder = Path.GetDirectoryName(folder);
        }

        return folder.ShouldNotBeNull();
    }

    private static ItemVerdict Judge(int status, string type, string reason)
    {
        JudgedItem judged = new();
        new BulkResponseParser().Read(Bytes(Of(errors: true, Failed("d0", status, type, reason))), isEnd: true, judged, out _).ShouldBe(BulkParsing.Complete);
        return judged.Verdict.ShouldNotBeNull();
    }

    private sealed class JudgedItem : IBulkItems
    {
        public ItemVerdict? Verdict { get; private set; }

        public void Failed(in BulkItem item) => Verdict = Rules.Judge(item);
    }
}
