using Quayside.Messaging.Elasticsearch;

namespace Integration.Tests.Elasticsearch;

/// <summary>Compressed, and in many small batches.</summary>
public sealed class GzipElasticsearchSinkContractTests : ElasticsearchSinkContract
{
    internal override ElasticsearchSinkOptions OptionsFor(Uri endpoint, string index, string? username, string? password) => new()
    {
        Endpoint = [endpoint.AbsoluteUri],
        Index = index,
        Username = username,
        Password = password,
        GzipRequests = true,
        MaxBatchBytes = 64 * 1024,
        MaxBatchDocuments = 100,
        MaxInFlight = 8,
    };
}
