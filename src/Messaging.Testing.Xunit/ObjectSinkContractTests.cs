using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Testing.Xunit;

/// <summary>The tests of <see cref="ObjectSinkContract"/>. Subclass it once per sink.</summary>
public abstract class ObjectSinkContractTests : ContractTests<IObjectSink, ObjectSinkContract>
{
    /// <summary>See <see cref="ObjectSinkContract.DecidesRaces"/>.</summary>
    protected virtual bool DecidesRaces => true;

    /// <summary>See <see cref="ObjectSinkContract.KeepsDotsAtEnds"/>.</summary>
    protected virtual bool KeepsDotsAtEnds => true;

    /// <summary>See <see cref="ObjectSinkContract.BreakStore"/>.</summary>
    protected virtual Func<ValueTask<IAsyncDisposable>>? BreakStore => null;

    private protected override ObjectSinkContract Contract => new(Subject, ReadBackAsync)
    {
        DecidesRaces = DecidesRaces,
        KeepsDotsAtEnds = KeepsDotsAtEnds,
        BreakStore = BreakStore,
        CancellationToken = Token,
    };

    /// <summary>Opens the sink of the test over an empty store, and checks it.</summary>
    public override async ValueTask InitializeAsync()
    {
        await base.InitializeAsync();
        await Subject.CheckAsync(Token);
    }

    /// <summary>Reads an object's bytes, bypassing the sink; null when the store has none.</summary>
    protected abstract ValueTask<byte[]?> ReadBackAsync(string key);
}
