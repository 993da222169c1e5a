using System.Diagnostics;
using System.Text;
using Messaging.AzureServiceBus.Port;
using Messaging.Telemetry;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.AzureServiceBus;

/// <summary>
/// One delivery of a message. Settling only records the decision: the pump's call waits for it and carries it out while the lock is
/// still renewed. The library allocates some kilobytes per message (docs/guides/profile.md), so this object is not pooled.
/// </summary>
internal sealed class ServiceBusDelivery(LockedMessage message, PumpRun run) : ReceivedMessage
{
    // Asynchronous: the caller is a slot of the intake, which must not run the settlement itself.
    private readonly TaskCompletionSource<Settlement> _decision = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly long _receivedAt = run.GetTimestamp();
    private byte[]? _id;

    /// <summary>The message under this delivery's lock.</summary>
    public LockedMessage Locked { get; } = message;

    /// <summary>The route's decision; always completes.</summary>
    public Task<Settlement> Decision => _decision.Task;

    /// <summary>Completes when the delay of an abandoned message or the run ends; already complete for every other decision.</summary>
    public Task Held { get; private set; } = Task.CompletedTask;

    public override ReadOnlyMemory<byte> Body => Locked.Body;

    /// <summary>The sender's message id; <c>sequence-{number}</c> when there is none.</summary>
    public override ReadOnlyMemory<byte> SourceId => _id ??= Encoding.UTF8.GetBytes(string.IsNullOrEmpty(Locked.MessageId) ? $"sequence-{Locked.SequenceNumber}" : Locked.MessageId);

    public override int DeliveryCount => Math.Max(1, Locked.DeliveryCount);

    public override DateTimeOffset? EnqueuedAt => Locked.EnqueuedAt;

    public override IReadOnlyList<KeyValuePair<string, string>> Attributes => Locked.Properties.Count == 0
        ? []
        : [.. Locked.Properties.Select(property => KeyValuePair.Create(property.Key, PropertyText.Format(property.Value)))];

    /// <summary>The Azure SDKs call the same value <c>Diagnostic-Id</c>.</summary>
    public override ActivityContext CreationContext =>
        MessageSpans.ParseContext(Text("traceparent"), Text("tracestate")) is var context && context != default ? context : MessageSpans.ParseContext(Text("Diagnostic-Id"), traceState: null);

    public override TimeSpan AskToHold() => run.AskToHold(DeliveryCount, _receivedAt);

    /// <summary>Abandons a message that never reached the route.</summary>
    public void GiveUp() => _decision.TrySetResult(Settlement.Abandon(TimeSpan.Zero));

    private string? Text(string property) => Locked.Properties.TryGetValue(property, out object? value) ? value as string : null;

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken)
    {
        if (settlement.Kind == SettlementKind.Abandon)
        {
            // The delay starts now, not when a thread continues.
            Held = run.HoldAsync(settlement.Delay);
        }

        _decision.TrySetResult(settlement);
        return default;
    }
}
