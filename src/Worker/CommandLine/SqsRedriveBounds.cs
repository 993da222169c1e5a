using System.Text;
using System.Text.Json;
using Worker.Sources.Sqs;
using Worker.Sources.Sqs.Wire;

namespace Worker.CommandLine;

/// <summary>
/// Tells dead letters that were in the queue when a redrive began from those that came later, so that a message which the worker
/// dead-letters again is not sent again. A message gets a new id when it is sent to the queue. The worker records that id in
/// <c>DeadLetterDetails</c>, and a redrive policy keeps it. A dead letter without details is recognised by its time. One thread.
/// </summary>
/// <param name="began">When the redrive began, by this machine's clock: used until the service has shown its own.</param>
internal sealed class SqsRedriveBounds(DateTimeOffset began)
{
    private readonly HashSet<Guid> _sent = [];
    private long _beganUnixMs = began.ToUnixTimeMilliseconds();
    private bool _isSet;

    /// <summary>
    /// Takes the beginning from the first messages that the queue answers with, all of which were there: nothing has been sent yet.
    /// A message that is received for the first time shows the service's clock, which may differ from this machine's.
    /// </summary>
    public void Begin(ReceiveBatch first)
    {
        if (_isSet || first.Count == 0)
        {
            return;
        }

        _isSet = true;
        long latest = 0;
        bool showsClock = false;
        for (int i = 0; i < first.Count; i++)
        {
            showsClock |= first[i].ReceiveCount == 1 && first[i].FirstReceiveUnixMs > 0;
            latest = Math.Max(latest, Math.Max(first[i].SentUnixMs, first[i].FirstReceiveUnixMs));
        }

        _beganUnixMs = showsClock ? latest : Math.Max(latest, _beganUnixMs);
    }

    /// <summary>Remembers a message that this redrive sent to the queue.</summary>
    public void AddSent(string messageId) => _sent.Add(KeyOf(messageId));

    public SqsLetterOrigin OriginOf(in SqsMessage message, IReadOnlyList<SqsMessageAttribute> attributes)
    {
        string? details = attributes.FirstOrDefault(attribute => attribute.Name == SqsDeadLetters.DetailsAttribute)?.StringValue;
        if (_sent.Contains(SqsReceivedMessage.KeyOf(message.MessageId.Span)) || (SourceIdOf(details) is { } source && _sent.Contains(KeyOf(source))))
        {
            return SqsLetterOrigin.ThisRun;
        }

        return message.SentUnixMs > _beganUnixMs ? SqsLetterOrigin.Meanwhile : SqsLetterOrigin.Before;
    }

    private static Guid KeyOf(string id) => SqsReceivedMessage.KeyOf(Encoding.UTF8.GetBytes(id));

    private static string? SourceIdOf(string? details)
    {
        if (details is null)
        {
            return null;
        }

        try
        {
            using JsonDocument document = JsonDocument.Parse(details);
            return document.RootElement.ValueKind == JsonValueKind.Object
                && document.RootElement.TryGetProperty("sourceId", out JsonElement id)
                && id.ValueKind == JsonValueKind.String
                ? id.GetString()
                : null;
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            // Not the worker's, or an invalid escape: text from outside.
            return null;
        }
    }
}
