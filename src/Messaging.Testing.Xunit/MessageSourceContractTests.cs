namespace Quayside.Messaging.Testing.Xunit;

/// <summary>The tests of <see cref="MessageSourceContract"/>. Subclass it once per source, and return the harness that connects it.</summary>
public abstract class MessageSourceContractTests : ContractTests<SourceHarness, MessageSourceContract>
{
    private protected override MessageSourceContract Contract => new(Subject);
}
