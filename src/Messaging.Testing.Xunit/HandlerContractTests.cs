namespace Quayside.Messaging.Testing.Xunit;

/// <summary>The tests of <see cref="HandlerContract"/>. Subclass it once per handler, and return the harness that connects it.</summary>
public abstract class HandlerContractTests : ContractTests<HandlerHarness, HandlerContract>
{
    private protected override HandlerContract Contract => new(Subject);
}
