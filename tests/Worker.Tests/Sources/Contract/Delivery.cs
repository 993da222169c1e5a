using System.Text;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Worker.Tests.Sources.Contract;

/// <summary>One message as it arrived at a <see cref="TestIntake"/>, with copies of what it said then.</summary>
internal sealed class Delivery(ReceivedMessage message, Action settled)
{
    public ReceivedMessage Message { get; } = message;

    public byte[] Body { get; } = message.Body.ToArray();

    public string Id { get; } = Encoding.UTF8.GetString(message.SourceId.Span);

    public int Count { get; } = message.DeliveryCount;

    public DateTimeOffset? EnqueuedAt { get; } = message.EnqueuedAt;

    /// <summary>Settles the message after checking that its bytes are still its own. Its slot is free after the settlement, as in the worker.</summary>
    public async Task SettleAsync(Settlement settlement, CancellationToken cancellationToken = default)
    {
        try
        {
            Message.Body.Span.SequenceEqual(Body).ShouldBeTrue("The body changed before its settlement.");
            Encoding.UTF8.GetString(Message.SourceId.Span).ShouldBe(Id, "The id changed before its settlement.");
            await Message.SettleAsync(settlement, cancellationToken);
        }
        finally
        {
            settled();
        }
    }
}
