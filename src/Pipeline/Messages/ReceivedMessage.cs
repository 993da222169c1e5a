using System.Diagnostics;
using Quayside.Pipeline.Settlements;

namespace Quayside.Pipeline.Messages;

/// <summary>
/// One message as its source delivered it. Ownership: the receiver owns it until it calls <see cref="SettleAsync"/>, exactly
/// once. From then on the source owns it again and may reuse the object and its bytes: the receiver must not touch them.
/// Threads: one at a time.
/// </summary>
public abstract class ReceivedMessage
{
    // Even until the message is settled, odd afterwards. It only grows, so that every delivery of a reused object has its own.
    private int _version;

    /// <summary>
    /// Distinguishes the deliveries of a reused object: the number changes when the message is settled, and again for the next
    /// delivery. Code that keeps a message compares it before reading. Threads: any.
    /// </summary>
    public int Version => Volatile.Read(ref _version);

    /// <summary>The body's bytes, unchanged; may be empty. A borrow that ends with <see cref="SettleAsync"/>.</summary>
    public abstract ReadOnlyMemory<byte> Body { get; }

    /// <summary>
    /// What a handler that stores the message unchanged stores: <see cref="Body"/>, or the message around it when the body was taken out of an envelope and the
    /// whole is wanted. A borrow like <see cref="Body"/>.
    /// </summary>
    public virtual ReadOnlyMemory<byte> StoredBody => Body;

    /// <summary>The id the source knows the message by, UTF-8, never empty, the same on every delivery. A borrow like <see cref="Body"/>.</summary>
    public abstract ReadOnlyMemory<byte> SourceId { get; }

    /// <summary>How often the source has delivered this message, including this time; at least 1.</summary>
    public virtual int DeliveryCount => 1;

    /// <summary>When the message entered the source, where the source knows.</summary>
    public virtual DateTimeOffset? EnqueuedAt => null;

    /// <summary>Named values beside the body (message attributes, headers); empty when there are none.</summary>
    public virtual IReadOnlyList<KeyValuePair<string, string>> Attributes => [];

    /// <summary>
    /// What the message must be processed with or after, where its source has such groups: the message group of SQS, the session of Service Bus.
    /// </summary>
    public virtual string? Group => null;

    /// <summary>By what its source recognised a message that was sent twice; null where the sender gave nothing of the kind.</summary>
    public virtual string? DeduplicationId => null;

    /// <summary>
    /// The W3C trace context that the sender gave the message: the parent of its span. Default when the sender gave no well-formed one.
    /// Only read while there is a listener for spans, before the settlement; it may allocate.
    /// </summary>
    public virtual ActivityContext CreationContext => default;

    /// <summary>
    /// The span of the latest attempt at this delivery; null without a listener. Kept until the next delivery: the settlement's span is its child.
    /// </summary>
    public Activity? Span { get; set; }

    /// <summary>
    /// True when the source can hide an abandoned message for as long as <see cref="TryHold"/> allows: a message that keeps failing
    /// then need not occupy the receiver.
    /// </summary>
    public virtual bool CanReturnLate => false;

    /// <summary>True when the source never redelivers by itself: the sender of an abandoned message is told to send it again.</summary>
    public virtual bool IsSentAgainByCaller => false;

    /// <summary>One of <see cref="Attributes"/>, without making them all.</summary>
    /// <param name="name">Its exact name.</param>
    /// <returns>Null when the message has none of that name.</returns>
    public virtual string? FindAttribute(string name)
    {
        foreach ((string key, string value) in Attributes)
        {
            if (string.Equals(key, name, StringComparison.Ordinal))
            {
                return value;
            }
        }

        return null;
    }

    /// <summary>A property that the messaging system itself defines, which no attribute of the sender can hide.</summary>
    /// <param name="name">Its name: <c>subject</c>, <c>correlation-id</c>, <c>content-type</c>, <c>to</c> or <c>reply-to</c>.</param>
    /// <returns>Null where the source has no such property, or the message no value.</returns>
    public virtual string? FindSystemProperty(string name) => null;

    /// <summary>
    /// Asks the source whether the receiver may keep the message while its sink fails, instead of abandoning it. Called by the
    /// owner after each failed attempt.
    /// </summary>
    /// <returns>The time allowed from now; zero when abandoning costs the source nothing, and when the time is up.</returns>
    public virtual TimeSpan TryHold() => TimeSpan.Zero;

    /// <summary>
    /// Settles the message, which the source then owns again. Complete it only after the sink's success was verified.
    /// Never throws for a failed acknowledgement: the source retries, or redelivers the message, and counts it.
    /// </summary>
    /// <param name="settlement">A decided settlement.</param>
    /// <param name="cancellationToken">Ends the wait, not the settlement.</param>
    /// <exception cref="InvalidOperationException">Settled twice, or undecided: a defect in the caller.</exception>
    public ValueTask SettleAsync(Settlement settlement, CancellationToken cancellationToken)
    {
        if (!settlement.IsDecided)
        {
            throw new InvalidOperationException("An undecided settlement cannot be carried out; abandon the message instead.");
        }

        int version = Version;
        if ((version & 1) != 0 || Interlocked.CompareExchange(ref _version, version + 1, version) != version)
        {
            throw new InvalidOperationException("The message was already settled; a message is settled exactly once.");
        }

        return SettleCoreAsync(settlement, cancellationToken);
    }

    /// <summary>Carries out the settlement, after which the source owns the message again. Called once per delivery.</summary>
    protected abstract ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken);

    /// <summary>For sources that reuse the object: makes it ready for its next delivery.</summary>
    protected void ResetSettlement()
    {
        Span = null;
        Volatile.Write(ref _version, (_version | 1) + 1);
    }
}

/// <summary>Where messages are sent to and received from, as spans name it.</summary>
/// <param name="System">The messaging system by OpenTelemetry's conventions: <c>aws_sqs</c>, <c>servicebus</c>, <c>rabbitmq</c>; else the source's lower-case
/// name.</param>
/// <param name="Name">The queue or topic; the route where there is none.</param>
public sealed record MessageDestination(string System, string Name);
