using Xunit;

namespace Quayside.Messaging.Testing.Xunit;

/// <summary>The tests of <see cref="MessageSourceContract"/>. Subclass it once per source, and return the harness that connects it.</summary>
public abstract class MessageSourceContractTests : IAsyncLifetime
{
    private SourceHarness? _harness;

    private MessageSourceContract Contract => new(_harness ?? throw new InvalidOperationException("The harness is created before each test."));

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

    /// <inheritdoc cref="MessageSourceContract.Receive_AnyBody_ArrivesUnchanged"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Receive_AnyBody_ArrivesUnchanged() => Contract.Receive_AnyBody_ArrivesUnchanged();

    /// <inheritdoc cref="MessageSourceContract.Receive_DifferentMessages_HaveDifferentIds"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Receive_DifferentMessages_HaveDifferentIds() => Contract.Receive_DifferentMessages_HaveDifferentIds();

    /// <inheritdoc cref="MessageSourceContract.Receive_GivenId_IsTheSourceId"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Receive_GivenId_IsTheSourceId() => Contract.Receive_GivenId_IsTheSourceId();

    /// <inheritdoc cref="MessageSourceContract.Complete_Message_IsGone"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Complete_Message_IsGone() => Contract.Complete_Message_IsGone();

    /// <inheritdoc cref="MessageSourceContract.Abandon_WithDelay_IsRedeliveredUnchangedAfterIt"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Abandon_WithDelay_IsRedeliveredUnchangedAfterIt() => Contract.Abandon_WithDelay_IsRedeliveredUnchangedAfterIt();

    /// <inheritdoc cref="MessageSourceContract.Abandon_Repeatedly_IsNeverDropped"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Abandon_Repeatedly_IsNeverDropped() => Contract.Abandon_Repeatedly_IsNeverDropped();

    /// <inheritdoc cref="MessageSourceContract.DeadLetter_Message_IsKeptWithItsReason"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task DeadLetter_Message_IsKeptWithItsReason() => Contract.DeadLetter_Message_IsKeptWithItsReason();

    /// <inheritdoc cref="MessageSourceContract.Receive_MoreUnreadableBodiesThanSlots_AreDeadLetteredAndTheRestIsHandled"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Receive_MoreUnreadableBodiesThanSlots_AreDeadLetteredAndTheRestIsHandled() =>
    Contract.Receive_MoreUnreadableBodiesThanSlots_AreDeadLetteredAndTheRestIsHandled();

    /// <inheritdoc cref="MessageSourceContract.Settle_Twice_Throws"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Settle_Twice_Throws() => Contract.Settle_Twice_Throws();

    /// <inheritdoc cref="MessageSourceContract.Settle_Undecided_ThrowsAndLeavesTheMessageToItsOwner"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Settle_Undecided_ThrowsAndLeavesTheMessageToItsOwner() => Contract.Settle_Undecided_ThrowsAndLeavesTheMessageToItsOwner();

    /// <inheritdoc cref="MessageSourceContract.Settle_ManyMessagesConcurrently_EachEndsOnceAsDecided"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Settle_ManyMessagesConcurrently_EachEndsOnceAsDecided() => Contract.Settle_ManyMessagesConcurrently_EachEndsOnceAsDecided();

    /// <inheritdoc cref="MessageSourceContract.Receive_PausedIntake_TakesNothingUntilResumed"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Receive_PausedIntake_TakesNothingUntilResumed() => Contract.Receive_PausedIntake_TakesNothingUntilResumed();

    /// <inheritdoc cref="MessageSourceContract.Stop_WhileWaitingForMessages_Returns"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Stop_WhileWaitingForMessages_Returns() => Contract.Stop_WhileWaitingForMessages_Returns();

    /// <inheritdoc cref="MessageSourceContract.Stop_WhileWaitingForASlot_Returns"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Stop_WhileWaitingForASlot_Returns() => Contract.Stop_WhileWaitingForASlot_Returns();

    /// <inheritdoc cref="MessageSourceContract.Stop_WithMessagesInFlight_TheyCanStillBeSettled"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Stop_WithMessagesInFlight_TheyCanStillBeSettled() => Contract.Stop_WithMessagesInFlight_TheyCanStillBeSettled();

    /// <inheritdoc cref="MessageSourceContract.Reopen_AfterACrash_RedeliversWhatWasNotSettled"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Reopen_AfterACrash_RedeliversWhatWasNotSettled() => Contract.Reopen_AfterACrash_RedeliversWhatWasNotSettled();

    /// <inheritdoc cref="MessageSourceContract.Interrupt_WithMessagesInFlight_LosesNone"/>
    [Fact(Timeout = ContractLimit.Milliseconds)]
    public Task Interrupt_WithMessagesInFlight_LosesNone() => Contract.Interrupt_WithMessagesInFlight_LosesNone();

    /// <summary>A new harness. Each test has one of its own.</summary>
    protected abstract ValueTask<SourceHarness> CreateAsync();
}
