using System.Text.Json.Nodes;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Testing.Xunit;

/// <summary>The tests of <see cref="DocumentSinkContract"/>. Subclass it once per sink.</summary>
public abstract class DocumentSinkContractTests : ContractTests<IDocumentSink, DocumentSinkContract>
{
    /// <summary>See <see cref="DocumentSinkContract.BlockIndex"/>.</summary>
    protected virtual Func<ValueTask<IAsyncDisposable>>? BlockIndex => null;

    private protected override DocumentSinkContract Contract =>
        new(Subject, ReadBackAsync, CountAsync) { CancellationToken = Token, BlockIndex = BlockIndex };

    /// <summary>Opens the sink of the test over an empty index whose field <c>bytes</c> is a whole number, and checks it.</summary>
    public override async ValueTask InitializeAsync()
    {
        await base.InitializeAsync();
        await Subject.CheckAsync(Token);
    }

    /// <summary>Reads documents by their ids, bypassing the sink.</summary>
    protected abstract ValueTask<IReadOnlyDictionary<string, JsonNode>> ReadBackAsync(IReadOnlyCollection<string> ids);

    /// <summary>Counts the documents of the index, bypassing the sink.</summary>
    protected abstract ValueTask<long> CountAsync();
}
