using System.Diagnostics;
using System.Text;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Intake;

/// <summary>A message that reports how it was settled.</summary>
internal sealed class TestMessage : ReceivedMessage
{
    private readonly TaskCompletionSource<Settlement> _settled = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public static TimeSpan WaitLimit { get; } = TimeSpan.FromSeconds(30);

    public override ReadOnlyMemory<byte> Body => BodyFailure is { } failure ? throw failure : Bytes;

    public override ReadOnlyMemory<byte> SourceId => Encoding.UTF8.GetBytes(Id);

    public override int DeliveryCount => Deliveries;

    public byte[] Bytes { get; init; } = [1, 2, 3];

    /// <summary>Thrown when the body is read.</summary>
    public Exception? BodyFailure { get; init; }

    public string Id { get; init; } = "id";

    public int Deliveries { get; init; } = 1;

    /// <summary>Its attributes.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Named { get; init; } = [];

    public override IReadOnlyList<KeyValuePair<string, string>> Attributes => Named;

    /// <summary>The sender's span.</summary>
    public ActivityContext Creation { get; init; }

    public override ActivityContext CreationContext => Creation;

    /// <summary>How long the source lets the message be held.</summary>
    public TimeSpan HoldTime { get; init; }

    /// <summary>Whether the source can hide it for that long.</summary>
    public bool ReturnsLate { get; init; }

    public override bool CanReturnLate => ReturnLateFailure is { } failure ? throw failure : ReturnsLate;

    /// <summary>Thrown when the source is asked whether it can hide it.</summary>
    public Exception? ReturnLateFailure { get; init; }

    /// <summary>Whether its caller redelivers it, not the source.</summary>
    public bool HasCaller { get; init; }

    public override bool IsSentAgainByCaller => HasCaller;

    /// <summary>The source's work for a settlement; the settlement is reported before it.</summary>
    public Func<ValueTask>? OnSettle { get; init; }

    public bool IsSettled => _settled.Task.IsCompleted;

    /// <summary>The message's settlement, awaited with a timeout for slow machines.</summary>
    public Task<Settlement> Settled => _settled.Task.WaitAsync(WaitLimit);

    public override TimeSpan TryHold() => HoldTime;

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken)
    {
        _settled.SetResult(settlement);
        return OnSettle?.Invoke() ?? default;
    }
}
