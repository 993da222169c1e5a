using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Text;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Proof.Simulation;

/// <summary>One delivery of a message, of which an <see cref="ObservedSource"/> sees the attempts and the settlement.</summary>
internal sealed class ObservedMessage : ReceivedMessage
{
    private readonly ObservedSource _observer;
    private readonly ReceivedMessage _message;
    private bool _isHeld;

    static ObservedMessage()
    {
        // A member that is not passed on would be the base class's, and the source's own would not run.
        foreach (MethodInfo member in typeof(ObservedMessage).GetMethods(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic))
        {
            if (member.IsVirtual && member.DeclaringType == typeof(ReceivedMessage))
            {
                throw new InvalidOperationException($"{nameof(ObservedMessage)} must pass on {member.Name}.");
            }
        }
    }

    public ObservedMessage(ObservedSource observer, ReceivedMessage message)
    {
        _observer = observer;
        _message = message;
        string id = Encoding.UTF8.GetString(message.SourceId.Span);
        Number = int.TryParse(id.AsSpan(id.LastIndexOf('-') + 1), NumberStyles.None, CultureInfo.InvariantCulture, out int number) ? number : -1;
    }

    /// <summary>The number of a queue's message; -1 for one with another id.</summary>
    public int Number { get; }

    public override ReadOnlyMemory<byte> Body
    {
        get
        {
            if (_isHeld)
            {
                // Each attempt begins with its body.
                _isHeld = false;
                _observer.Retrying(this);
            }

            return _message.Body;
        }
    }

    public override ReadOnlyMemory<byte> StoredBody => _message.StoredBody;

    public override ReadOnlyMemory<byte> SourceId => _message.SourceId;

    public override int DeliveryCount => _message.DeliveryCount;

    public override DateTimeOffset? EnqueuedAt => _message.EnqueuedAt;

    public override IReadOnlyList<KeyValuePair<string, string>> Attributes => _message.Attributes;

    public override string? Group => _message.Group;

    public override string? DeduplicationId => _message.DeduplicationId;

    public override ActivityContext CreationContext => _message.CreationContext;

    public override bool CanReturnLate => _message.CanReturnLate;

    public override bool IsSentAgainByCaller => _message.IsSentAgainByCaller;

    public override string? FindAttribute(string name) => _message.FindAttribute(name);

    public override string? FindSystemProperty(string name) => _message.FindSystemProperty(name);

    public override TimeSpan TryHold()
    {
        _observer.Attempted(this);
        _isHeld = true;
        return _message.TryHold();
    }

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken)
    {
        _isHeld = false;
        bool throws = _observer.Settling(this, _message, settlement);
        ValueTask settling = _message.SettleAsync(settlement, cancellationToken);
        if (!settling.IsCompletedSuccessfully)
        {
            return SettleAsync(settling, throws);
        }

        _observer.Settled();
        return throws ? throw new InvalidOperationException("The source throws synchronously after it has settled a message.") : default;
    }

    private async ValueTask SettleAsync(ValueTask settling, bool throws)
    {
        try
        {
            await settling;
        }
        finally
        {
            _observer.Settled();
        }

        if (throws)
        {
            throw new InvalidOperationException("The source throws after it has settled a message.");
        }
    }
}
