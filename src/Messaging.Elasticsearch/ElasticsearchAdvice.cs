using System.Globalization;

namespace Quayside.Messaging.Elasticsearch;

/// <summary>Describes a failure to an operator, and what to do about it.</summary>
internal static class ElasticsearchAdvice
{
    public const string Unauthorized = "The credentials are missing or refused: check Sinks:Elasticsearch:ApiKey, or Username and Password.";

    public const string Foreign = "The address answers, but is not Elasticsearch: check Sinks:Elasticsearch:Endpoint.";

    // Amazon OpenSearch Service answers so; a collection of OpenSearch Serverless has the error type Forbidden.
    private const string Iam = "Amazon OpenSearch checks IAM: set Sinks:Elasticsearch:SigV4, and grant the identity es:ESHttpPost and es:ESHttpGet at a "
        + "domain, or aoss:APIAccessAll and a data access policy at a collection.";

    /// <summary>
    /// Describes a failure, such as <c>Elasticsearch _bulk: es_rejected_execution_exception (429): rejected execution of …</c> or
    /// <c>Elasticsearch _bulk: ConnectionError: Connection refused (127.0.0.1:9200)</c>.
    /// </summary>
    public static string Describe(in BulkFault fault, string operation) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"Elasticsearch {operation}: {fault.Code}{(fault.Status == 0 ? string.Empty : $" ({fault.Status})")}"
                + $"{(string.IsNullOrEmpty(fault.Reason) ? string.Empty : $": {fault.Reason.TrimEnd('.')}")}");

    /// <summary>What to do about a refusal.</summary>
    public static string For(in BulkFault fault, ItemRules rules, string index) => fault.Status switch
    {
        401 => Unauthorized,
        301 or 302 or 303 or 307 or 308 or 405 => Foreign,
        _ when rules.Find(fault.Code, fault.Reason) is { } rule => rule.Advice.Replace(ItemRule.IndexMark, index, StringComparison.Ordinal),
        403 when fault.Code == "Forbidden" || fault.Reason.StartsWith("User: ", StringComparison.Ordinal) => Iam,
        403 => $"Grant the privilege create_doc on '{index}'.",
        404 => $"Create what is missing, or correct Sinks:Elasticsearch:Index '{index}'.",
        _ => "Check the settings in Sinks:Elasticsearch.",
    };
}
