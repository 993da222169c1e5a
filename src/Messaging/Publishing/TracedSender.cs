using System.Diagnostics;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Publishing;

/// <summary>Starts a span per call of a sender; the messages carry its context. Used only when there is a listener.</summary>
/// <param name="sender">The sender; owned by this object.</param>
/// <param name="name">Its name for <c>publish --to</c>.</param>
internal sealed class TracedSender(IMessageSender sender, string name) : IMessageSender
{
    private readonly MessageDestination _destination = sender.Destination ?? new MessageDestination(name, sender.Target);

    public string Target => sender.Target;

    public string Accepted => sender.Accepted;

    public MessageDestination? Destination => _destination;

    public int Concurrency => sender.Concurrency;

    public int BatchSize => sender.BatchSize;

    public bool SendsGroups => sender.SendsGroups;

    public bool SendsDeduplicationIds => sender.SendsDeduplicationIds;

    public string? Problem => sender.Problem;

    public string? CheckAttribute(string name, string value) => sender.CheckAttribute(name, value);

    public async Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken)
    {
        Activity? span = MessageSpans.StartSend(_destination);
        if (BatchSize > 1)
        {
            span?.SetTag("messaging.batch.message_count", messages.Count);
        }

        try
        {
            string?[] errors = await sender.SendAsync(messages, cancellationToken);
            if (Array.Find(errors, error => error is not null) is { } first)
            {
                // The convention's error type for an error without a code: senders report only text.
                MessageSpans.Fail(span, "_OTHER", first);
            }

            return errors;
        }
        catch (Exception exception)
        {
            MessageSpans.Fail(span, exception);
            throw;
        }
        finally
        {
            MessageSpans.End(span);
        }
    }

    public void Dispose()
    {
        sender.Dispose();
    }
}
