using Xunit;

namespace Quayside.Messaging.Testing.Xunit;

/// <summary>The tests of <see cref="HandlerContract"/>. Subclass it once per handler, and return the harness that connects it.</summary>
public abstract class HandlerContractTests : IAsyncLifetime
{
    private HandlerHarness? _harness;

    private HandlerContract Contract => new(_harness ?? throw new InvalidOperationException("The harness is created before each test."));

    /// <summary>Creates the harness of the test.</summary>
    public virtual async ValueTask InitializeAsync() => _harness = await CreateAsync();

    /// <summary>Disposes it.</summary>
    public virtual async ValueTask DisposeAsync()
    {
        if (_harness is not null)
        {
            await _harness.DisposeAsync();
        }

        GC.SuppressFinalize(this);
    }

    /// <inheritdoc cref="HandlerContract.Handle_Message_IsCompletedWithItsEffect"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Handle_Message_IsCompletedWithItsEffect() => Contract.Handle_Message_IsCompletedWithItsEffect();

    /// <inheritdoc cref="HandlerContract.Handle_RedeliveredMessage_HasOneEffect"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Handle_RedeliveredMessage_HasOneEffect() => Contract.Handle_RedeliveredMessage_HasOneEffect();

    /// <inheritdoc cref="HandlerContract.Handle_ManyConcurrently_EachHasItsEffectOnce"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Handle_ManyConcurrently_EachHasItsEffectOnce() => Contract.Handle_ManyConcurrently_EachHasItsEffectOnce();

    /// <inheritdoc cref="HandlerContract.Handle_RefusedMessages_AreDeadLetteredAndTheirNeighboursCompleted"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Handle_RefusedMessages_AreDeadLetteredAndTheirNeighboursCompleted() =>
    Contract.Handle_RefusedMessages_AreDeadLetteredAndTheirNeighboursCompleted();

    /// <inheritdoc cref="HandlerContract.Handle_WhileItsStoreFails_SettlesNothingAndEverythingAfterwards"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Handle_WhileItsStoreFails_SettlesNothingAndEverythingAfterwards() => Contract.Handle_WhileItsStoreFails_SettlesNothingAndEverythingAfterwards();

    /// <inheritdoc cref="HandlerContract.Stop_WithMessagesInFlight_NoneIsCompletedWithoutItsEffect"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Stop_WithMessagesInFlight_NoneIsCompletedWithoutItsEffect() => Contract.Stop_WithMessagesInFlight_NoneIsCompletedWithoutItsEffect();

    /// <summary>A new harness. Each test has one of its own.</summary>
    protected abstract ValueTask<HandlerHarness> CreateAsync();
}

/// <summary>The longest run of a test of a contract, so that one that waits for what never comes fails. xunit ignores it under a debugger.</summary>
internal static class ContractLimit
{
    public const int Milliseconds = 5 * 60 * 1_000;
}
