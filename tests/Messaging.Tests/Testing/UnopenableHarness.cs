using Quayside.Messaging.Sources;

namespace Messaging.Tests.Testing;

/// <summary>A harness that was written before the rule for crashes.</summary>
internal sealed class UnopenableHarness : SourceHarness
{
    private readonly ClaimingHarness _inner = new(recovers: true);

    public override IMessageSource Source => _inner.Source;

    public override Task PublishAsync(byte[] body, string? id = null) => _inner.PublishAsync(body, id);

    public override Task<IReadOnlyList<DeadLetteredMessage>> DeadLettersAsync(int expected) => _inner.DeadLettersAsync(expected);

    public override Task WaitUntilEmptyAsync() => _inner.WaitUntilEmptyAsync();
}
