using Quayside.Messaging.Sinks;
using Xunit;

namespace Quayside.Messaging.Testing.Xunit;

/// <summary>The tests of <see cref="ObjectSinkContract"/>. Subclass it once per sink.</summary>
public abstract class ObjectSinkContractTests : IAsyncLifetime
{
    private IObjectSink? _sink;

    /// <summary>False for a sink that is documented to let two stores of one key at the same moment both succeed.</summary>
    protected virtual bool DecidesRaces => true;

    /// <summary>
    /// False for a sink whose store drops dots at the end of a key or before a <c>/</c>: it must reject such a key, so that no two keys become one.
    /// </summary>
    protected virtual bool KeepsDotsAtEnds => true;

    /// <summary>See <see cref="ObjectSinkContract.BreakStore"/>.</summary>
    protected virtual Func<ValueTask<IAsyncDisposable>>? BreakStore => null;

    /// <summary>The sink under test.</summary>
    protected IObjectSink Sink => _sink ?? throw new InvalidOperationException("The sink is opened before each test.");

    /// <summary>Ends with the test.</summary>
    protected static CancellationToken Token => TestContext.Current.CancellationToken;

    private ObjectSinkContract Contract => new(Sink, ReadBackAsync)
    {
        DecidesRaces = DecidesRaces,
        KeepsDotsAtEnds = KeepsDotsAtEnds,
        BreakStore = BreakStore,
        CancellationToken = Token,
    };

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

    /// <inheritdoc cref="ObjectSinkContract.Store_AnyBytes_KeepsThemExactly"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Store_AnyBytes_KeepsThemExactly() => Contract.Store_AnyBytes_KeepsThemExactly();

    /// <inheritdoc cref="ObjectSinkContract.Store_SameBytesAgain_IsAlreadyStored"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Store_SameBytesAgain_IsAlreadyStored() => Contract.Store_SameBytesAgain_IsAlreadyStored();

    /// <inheritdoc cref="ObjectSinkContract.Store_OtherBytes_IsACollisionAndTheFirstStay"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Store_OtherBytes_IsACollisionAndTheFirstStay() => Contract.Store_OtherBytes_IsACollisionAndTheFirstStay();

    /// <inheritdoc cref="ObjectSinkContract.Store_KeyHoldsATruncationOrAnExtension_IsACollisionAndItStays"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Store_KeyHoldsATruncationOrAnExtension_IsACollisionAndItStays() => Contract.Store_KeyHoldsATruncationOrAnExtension_IsACollisionAndItStays();

    /// <inheritdoc cref="ObjectSinkContract.Store_SameBytesFromManyWritersConcurrently_StoresOnce"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Store_SameBytesFromManyWritersConcurrently_StoresOnce() => Contract.Store_SameBytesFromManyWritersConcurrently_StoresOnce();

    /// <inheritdoc cref="ObjectSinkContract.Store_OtherBytesFromManyWritersConcurrently_OneWins"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Store_OtherBytesFromManyWritersConcurrently_OneWins() => Contract.Store_OtherBytesFromManyWritersConcurrently_OneWins();

    /// <inheritdoc cref="ObjectSinkContract.Store_ManyKeysConcurrently_StoresEach"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Store_ManyKeysConcurrently_StoresEach() => Contract.Store_ManyKeysConcurrently_StoresEach();

    /// <inheritdoc cref="ObjectSinkContract.Store_UnusualKey_IsKeptUnderThatKey"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Store_UnusualKey_IsKeptUnderThatKey() => Contract.Store_UnusualKey_IsKeptUnderThatKey();

    /// <inheritdoc cref="ObjectSinkContract.Store_LongestKeys_AreKeptApart"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Store_LongestKeys_AreKeptApart() => Contract.Store_LongestKeys_AreKeptApart();

    /// <inheritdoc cref="ObjectSinkContract.Store_BuffersReusedAfterwards_DoesNotChangeTheObject"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Store_BuffersReusedAfterwards_DoesNotChangeTheObject() => Contract.Store_BuffersReusedAfterwards_DoesNotChangeTheObject();

    /// <inheritdoc cref="ObjectSinkContract.Store_BodyInTheMiddleOfALargerBuffer_StoresOnlyTheBody"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Store_BodyInTheMiddleOfALargerBuffer_StoresOnlyTheBody() => Contract.Store_BodyInTheMiddleOfALargerBuffer_StoresOnlyTheBody();

    /// <inheritdoc cref="ObjectSinkContract.Store_Cancelled_ThrowsForThatToken"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Store_Cancelled_ThrowsForThatToken() => Contract.Store_Cancelled_ThrowsForThatToken();

    /// <inheritdoc cref="ObjectSinkContract.Store_StoreDoesNotWork_ReturnsTheFailure"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Store_StoreDoesNotWork_ReturnsTheFailure() => Contract.Store_StoreDoesNotWork_ReturnsTheFailure();

    /// <inheritdoc cref="ObjectSinkContract.Store_WithMetadataAndTags_ComparesBytesAloneOrRefusesThem"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Store_WithMetadataAndTags_ComparesBytesAloneOrRefusesThem() => Contract.Store_WithMetadataAndTags_ComparesBytesAloneOrRefusesThem();

    /// <inheritdoc cref="ObjectSinkContract.Check_WhatWorks_PassesAgain"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Check_WhatWorks_PassesAgain() => Contract.Check_WhatWorks_PassesAgain();

    /// <inheritdoc cref="ObjectSinkContract.Locate_EndsWithTheKey"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Locate_EndsWithTheKey() => Contract.Locate_EndsWithTheKey();

    /// <summary>Opens a sink over an empty store.</summary>
    protected abstract ValueTask<IObjectSink> OpenAsync();

    /// <summary>Reads an object's bytes, bypassing the sink; null when the store has none.</summary>
    protected abstract ValueTask<byte[]?> ReadBackAsync(string key);
}
