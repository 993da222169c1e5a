using System.Diagnostics;
using Pipeline.Settlements;

namespace Pipeline.Messages;

/// <summary>
/// One message as its source handed it over. Ownership: the receiver owns it until it calls <see cref="SettleAsync"/>, exactly
/// once; from then on the source owns it again (and may reuse the object and its bytes), so nothing of it may be touched.
/// Threads: one at a time.
/// </summary>
public abstract class ReceivedMessage
{
    // Even while the message is to be settled, odd from then on. Only grows, so that every delivery of a reused object has its own.
    private int _version;

    /// <summary>
    /// Tells deliveries of a reused object apart: another number as soon as the message was settled, and again for the next one.
    /// Who keeps a message compares it before reading; any thread may.
    /// </summary>
    public int Version => Volatile.Read(ref _version);

    /// <summary>The body's bytes, unchanged; may be empty. A borrow that ends with <see cref="SettleAsync"/>.</summary>
    public abstract ReadOnlyMemory<byte> Body { get; }

    /// <summary>The id the source knows the message by, UTF-8, never empty, the same on every delivery. A borrow like <see cref="Body"/>.</summary>
    public abstract ReadOnlyMemory<byte> SourceId { get; }

    /// <summary>How often the source has handed this message out, this time included; at least 1.</summary>
    public virtual int DeliveryCount => 1;

    /// <summary>When the message entered the source, where the source knows.</summary>
    public virtual DateTimeOffset? EnqueuedAt => null;

    /// <summary>Named values beside the body (message attributes, headers); empty when there are none.</summary>
    public virtual IReadOnlyList<KeyValuePair<string, string>> Attributes => [];

    /// <summary>
    /// The W3C trace context that the sender gave the message: the parent of its span. Default when the sender gave none, or none that is well-formed.
    /// Only read while there is a listener for spans, before the settlement; it may allocate.
    /// </summary>
    public virtual ActivityContext CreationContext => default;

    /// <summary>The span of the latest attempt at this delivery; null without a listener. Kept until the next delivery: the settlement's span is its child.</summary>
    public Activity? Span { get; set; }

    /// <summary>
    /// True when the source can hide an abandoned message for as long as <see cref="AskToHold"/> allows: one whose fault follows
    /// it then need not keep the receiver busy.
    /// </summary>
    public virtual bool CanReturnLate => false;

    /// <summary>True when the source delivers nothing again by itself: the caller of an abandoned message is told to send it again.</summary>
    public virtual bool IsSentAgainByCaller => false;

    /// <summary>
    /// Asks the source whether the receiver may keep the message while its sink fails, instead of abandoning it. Called by the
    /// owner after each failed attempt.
    /// </summary>
    /// <returns>For how long from now; zero where abandoning costs the source nothing, and where the time is up.</returns>
    public virtual TimeSpan AskToHold() => TimeSpan.Zero;

    /// <summary>
    /// Decides the message's fate and gives it back to the source. Complete only after the sink's success was verified.
    /// Never throws for a failed acknowledgement: the source retries, or redelivers the message, and counts it.
    /// </summary>
    /// <param name="settlement">A decided settlement.</param>
    /// <param name="cancellationToken">Ends the waiting, not the settlement.</param>
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
            throw new InvalidOperationException("The message was settled before: it has one owner and one fate.");
        }

        return SettleCoreAsync(settlement, cancellationToken);
    }

    /// <summary>Carries the settlement out and takes the message back. Called once a delivery.</summary>
    protected abstract ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken);

    /// <summary>For sources that reuse the object: makes it ready for its next delivery.</summary>
    protected void ResetSettlement()
    {
        Span = null;
        Volatile.Write(ref _version, (_version | 1) + 1);
    }
}
