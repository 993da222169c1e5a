using System.Text.Json.Nodes;
using Quayside.Messaging.Sinks;
using Xunit;

namespace Quayside.Messaging.Testing.Xunit;

/// <summary>The tests of <see cref="DocumentSinkContract"/>. Subclass it once per sink.</summary>
public abstract class DocumentSinkContractTests : IAsyncLifetime
{
    private IDocumentSink? _sink;

    /// <summary>The sink under test.</summary>
    protected IDocumentSink Sink => _sink ?? throw new InvalidOperationException("The sink is opened before each test.");

    /// <summary>Ends with the test.</summary>
    protected static CancellationToken Token => TestContext.Current.CancellationToken;

    private DocumentSinkContract Contract =>
        new(Sink, ReadBackAsync, CountAsync) { CancellationToken = Token, BlockIndex = BlocksIndex ? BlockIndexAsync : null };

    /// <summary>Opens and checks the sink of the test.</summary>
    public virtual async ValueTask InitializeAsync()
    {
        _sink = await OpenAsync();
        await _sink.CheckAsync(Token);
    }

    /// <summary>Disposes it.</summary>
    public virtual async ValueTask DisposeAsync()
    {
        if (_sink is not null)
        {
            await _sink.DisposeAsync();
        }

        GC.SuppressFinalize(this);
    }

    /// <inheritdoc cref="DocumentSinkContract.Complete_NoDocuments_IsStored"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Complete_NoDocuments_IsStored() => Contract.Complete_NoDocuments_IsStored();

    /// <inheritdoc cref="DocumentSinkContract.Complete_Documents_AreAllThereExactly"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Complete_Documents_AreAllThereExactly() => Contract.Complete_Documents_AreAllThereExactly();

    /// <inheritdoc cref="DocumentSinkContract.Complete_UnusualTexts_AreKept"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Complete_UnusualTexts_AreKept() => Contract.Complete_UnusualTexts_AreKept();

    /// <inheritdoc cref="DocumentSinkContract.Complete_SameDocumentsAgain_AreThereAlready"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Complete_SameDocumentsAgain_AreThereAlready() => Contract.Complete_SameDocumentsAgain_AreThereAlready();

    /// <inheritdoc cref="DocumentSinkContract.Complete_SameIdTwiceInOneMessage_KeepsTheFirst"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Complete_SameIdTwiceInOneMessage_KeepsTheFirst() => Contract.Complete_SameIdTwiceInOneMessage_KeepsTheFirst();

    /// <inheritdoc cref="DocumentSinkContract.Complete_DocumentsThatTheStoreRefuses_AreReportedOneByOneAndTheOthersKept"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Complete_DocumentsThatTheStoreRefuses_AreReportedOneByOneAndTheOthersKept() =>
    Contract.Complete_DocumentsThatTheStoreRefuses_AreReportedOneByOneAndTheOthersKept();

    /// <inheritdoc cref="DocumentSinkContract.Complete_EveryDocumentIsRefused_CountsNoneAsIndexed"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Complete_EveryDocumentIsRefused_CountsNoneAsIndexed() => Contract.Complete_EveryDocumentIsRefused_CountsNoneAsIndexed();

    /// <inheritdoc cref="DocumentSinkContract.Complete_ExistingDocumentBesideARefusedOne_CountsAsIndexed"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Complete_ExistingDocumentBesideARefusedOne_CountsAsIndexed() => Contract.Complete_ExistingDocumentBesideARefusedOne_CountsAsIndexed();

    /// <inheritdoc cref="DocumentSinkContract.Complete_IndexAcceptsNoDocument_RejectsNone"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Complete_IndexAcceptsNoDocument_RejectsNone() => Contract.Complete_IndexAcceptsNoDocument_RejectsNone();

    /// <inheritdoc cref="DocumentSinkContract.Complete_RejectionThatCannotBeKept_FailsTheMessage"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Complete_RejectionThatCannotBeKept_FailsTheMessage() => Contract.Complete_RejectionThatCannotBeKept_FailsTheMessage();

    /// <inheritdoc cref="DocumentSinkContract.Write_ManyConcurrently_KeepsTheDocumentsOfEach"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Write_ManyConcurrently_KeepsTheDocumentsOfEach() => Contract.Write_ManyConcurrently_KeepsTheDocumentsOfEach();

    /// <inheritdoc cref="DocumentSinkContract.Dispose_WithoutComplete_LeavesTheSinkUsable"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Dispose_WithoutComplete_LeavesTheSinkUsable() => Contract.Dispose_WithoutComplete_LeavesTheSinkUsable();

    /// <inheritdoc cref="DocumentSinkContract.End_WithDocumentsSentAndNotSent_CountsThoseThatWereSent"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task End_WithDocumentsSentAndNotSent_CountsThoseThatWereSent() => Contract.End_WithDocumentsSentAndNotSent_CountsThoseThatWereSent();

    /// <inheritdoc cref="DocumentSinkContract.Complete_Cancelled_Throws"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Complete_Cancelled_Throws() => Contract.Complete_Cancelled_Throws();

    /// <inheritdoc cref="DocumentSinkContract.Open_WrongId_Throws"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Open_WrongId_Throws() => Contract.Open_WrongId_Throws();

    /// <summary>Opens a sink over an empty index whose field <c>bytes</c> is a whole number.</summary>
    protected abstract ValueTask<IDocumentSink> OpenAsync();

    /// <summary>Reads documents by their ids, bypassing the sink.</summary>
    protected abstract ValueTask<IReadOnlyDictionary<string, JsonNode>> ReadBackAsync(IReadOnlyCollection<string> ids);

    /// <summary>True when <see cref="BlockIndexAsync"/> can block the index.</summary>
    protected virtual bool BlocksIndex => false;

    /// <summary>Makes the index accept no document until the result is disposed, as for a missing privilege or a block.</summary>
    protected virtual ValueTask<IAsyncDisposable> BlockIndexAsync() => throw new NotSupportedException();

    /// <summary>Counts the documents of the index, bypassing the sink.</summary>
    protected abstract ValueTask<long> CountAsync();
}
