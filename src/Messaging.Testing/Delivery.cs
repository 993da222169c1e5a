using System.Text;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Testing;

/// <summary>One message as it arrived at a <see cref="TestIntake"/>, with copies of what it held then.</summary>
public sealed class Delivery
{
    private readonly Action _decided;
    private readonly Action _settled;

    internal Delivery(ReceivedMessage message, Action decided, Action settled)
    {
        _decided = decided;
        Message = message;
        Body = message.Body.ToArray();
        Id = Encoding.UTF8.GetString(message.SourceId.Span);
        Count = message.DeliveryCount;
        EnqueuedAt = message.EnqueuedAt;
        _settled = settled;
    }

    /// <summary>The source's message, to be settled once.</summary>
    public ReceivedMessage Message { get; }

    /// <summary>A copy of the body.</summary>
    public byte[] Body { get; }

    /// <summary>The source's id of the message.</summary>
    public string Id { get; }

    /// <summary>How often the source has delivered the message, this time included.</summary>
    public int Count { get; }

    /// <summary>When the message entered the source, where the source knows.</summary>
    public DateTimeOffset? EnqueuedAt { get; }

    /// <summary>Settles the message after checking that its bytes have not changed. Its slot is free after the settlement, as in the worker.</summary>
    /// <exception cref="ContractException">The body or the id changed while the intake owned the message.</exception>
    public async Task SettleAsync(Settlement settlement, CancellationToken cancellationToken = default)
    {
        try
        {
            Require.Bytes(Message.Body.Span, Body, "A body stays as it is until the settlement.");
            Require.Equal(Encoding.UTF8.GetString(Message.SourceId.Span), Id, "An id stays as it is until the settlement.");
            _decided();
            await Message.SettleAsync(settlement, cancellationToken);
        }
        finally
        {
            _settled();
        }
    }
}
