using Quayside.Messaging.Elasticsearch;

namespace Integration.Tests.Elasticsearch;

/// <summary>With the defaults.</summary>
public sealed class PlainElasticsearchSinkContractTests : ElasticsearchSinkContract
{
    internal override ElasticsearchSinkOptions OptionsFor(Uri endpoint, string index, string? username, string? password) =>
        new() { Endpoint = [endpoint.AbsoluteUri], Index = index, Username = username, Password = password };
}
