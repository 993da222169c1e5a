using System.Text;
using Quayside.Messaging.Aws.Sqs.Wire;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>
/// Distinguishes dead letters that were in the queue at the start of a redrive from later ones, so that a message that the worker
/// dead-letters again is not sent again. A message gets a new id when it is sent to the queue. The worker records that id in
/// <c>DeadLetterDetails</c>, and a redrive policy keeps it. A dead letter without details is recognised by its time. Threads: one.
/// </summary>
/// <param name="began">The start of the redrive, by this machine's clock: used until an answer shows the service's clock.</param>
internal sealed class SqsRedriveBounds(DateTimeOffset began)
{
    // Ids of dead letters, by the id that the queue gave the sent message.
    private readonly Dictionary<Guid, string> _sent = [];
    private long _beganUnixMs = began.ToUnixTimeMilliseconds();
    private bool _isSet;

    /// <summary>
    /// Takes the start time from the first messages of the queue, all of which were there before: nothing has been sent yet. A message that
    /// is received for the first time shows the service's clock, which may differ from this machine's.
    /// </summary>
    public void Begin(ReadOnlySpan<SqsReceivedMessage> first)
    {
        if (_isSet || first.IsEmpty)
        {
            return;
        }

        _isSet = true;
        long latest = 0;
        bool showsClock = false;
        foreach (SqsReceivedMessage message in first)
        {
            showsClock |= message.ReceiveCount == 1 && message.FirstReceiveUnixMs > 0;
            latest = Math.Max(latest, Math.Max(message.SentUnixMs, message.FirstReceiveUnixMs));
        }

        _beganUnixMs = showsClock ? latest : Math.Max(latest, _beganUnixMs);
    }

    /// <summary>Records a message that this redrive sent to the queue, by the id that the queue gave it.</summary>
    public void AddSent(string messageId, string letterId) => _sent[KeyOf(messageId)] = letterId;

    /// <summary>Where a dead letter comes from; <paramref name="sentAs"/> is the id of the dead letter that this run sent, null for other origins.</summary>
    public Origin OriginOf(SqsReceivedMessage message, in SqsDeadLetterDetails details, out string? sentAs)
    {
        if (_sent.TryGetValue(message.Key, out sentAs) || (details.SourceId is { } source && _sent.TryGetValue(KeyOf(source), out sentAs)))
        {
            return Origin.ThisRun;
        }

        return message.SentUnixMs > _beganUnixMs ? Origin.Meanwhile : Origin.Before;
    }

    private static Guid KeyOf(string id) => SqsReceivedMessage.KeyOf(Encoding.UTF8.GetBytes(id));

    /// <summary>Where a dead letter of the queue comes from, as seen by a running redrive.</summary>
    internal enum Origin
    {
        /// <summary>It was in the queue when the redrive began.</summary>
        Before,

        /// <summary>The redrive sent its message to the queue, and the message was dead-lettered again.</summary>
        ThisRun,

        /// <summary>It was dead-lettered while the redrive ran.</summary>
        Meanwhile,
    }
}
