using System.Buffers;
using System.Text.Json.Nodes;
using ElasticsearchServer;
using Integration.Tests.Servers;
using Quayside.Messaging.Elasticsearch;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Testing.Xunit;

namespace Integration.Tests.Elasticsearch;

/// <summary>
/// The sink contract over HTTP. The server is the one that <c>ELASTICSEARCH_URL</c> names (with user and password in the URL where it
/// requires them), or else the strict server, so no test is skipped.
/// </summary>
public abstract class ElasticsearchSinkContract : DocumentSinkContractTests
{
    private StrictElasticsearch? _strict;
    private ElasticsearchIndex? _index;

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        if (_index is not null)
        {
            await _index.DisposeAsync();
        }

        if (_strict is not null)
        {
            await _strict.DisposeAsync();
        }

        GC.SuppressFinalize(this);
    }

    [Fact]
    public async Task Complete_DocumentOfAnotherType_IsRejectedAsAParsingException()
    {
        RecordedRejections rejections = new();
        await using IDocumentWriter writer = Subject.Begin(rejections);
        writer.Open("bad"u8);
        writer.Body.Write("""{"bytes":"x"}"""u8);
        writer.Close();

        (await writer.CompleteAsync(Token)).Rejected.ShouldBe(1);

        rejections.All.ShouldHaveSingleItem().Type.ShouldEndWith("parsing_exception");
    }

    protected override async ValueTask<IDocumentSink> CreateAsync()
    {
        Uri address;
        if (Environment.GetEnvironmentVariable("ELASTICSEARCH_URL") is { Length: > 0 } real)
        {
            address = new Uri(real);
        }
        else
        {
            _strict = await StrictElasticsearch.StartAsync();
            address = _strict.Address;
        }

        _index = await ElasticsearchIndex.CreateAsync(address);
        string[] user = address.UserInfo.Length == 0 ? [] : Uri.UnescapeDataString(address.UserInfo).Split(':', 2);
        return ElasticsearchSinks.Open(
            OptionsFor(
                new Uri(address.GetComponents(UriComponents.SchemeAndServer, UriFormat.UriEscaped)), _index.Name, user is [var name, _] ? name : null,
                user is [_, var password] ? password : null));
    }

    protected override Func<ValueTask<IAsyncDisposable>>? BlockIndex => async () =>
    {
        if (_strict is { } strict)
        {
            await strict.ScriptAsync(
                new FaultRule
                {
                    Fault = ServerFault.FailItems,
                    Status = 403,
                    Type = "cluster_block_exception",
                    Reason = $"index [{_index!.Name}] blocked by: [FORBIDDEN/8/index write (api)];"
                });
            return new Unblocking(() => strict.ScriptAsync());
        }

        await _index!.BlockAsync(true);
        return new Unblocking(() => _index.BlockAsync(false));
    };

    internal abstract ElasticsearchSinkOptions OptionsFor(Uri endpoint, string index, string? username, string? password);

    protected override async ValueTask<IReadOnlyDictionary<string, JsonNode>> ReadBackAsync(IReadOnlyCollection<string> ids) => await _index!.ReadAsync(ids);

    protected override async ValueTask<long> CountAsync() => await _index!.CountAsync();

    private sealed class Unblocking(Func<Task> unblock) : IAsyncDisposable
    {
        public async ValueTask DisposeAsync() => await unblock();
    }
}
