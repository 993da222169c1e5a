using System.Runtime.CompilerServices;
using Azure.Messaging.ServiceBus;
using Quayside.Messaging.DeadLetters.Redrive;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>Looks at the dead letters of a queue, and locks none.</summary>
/// <param name="letters">Of the dead-letter queue.</param>
/// <param name="progress">Receives a note about those that cannot be read.</param>
internal sealed class DeadLetterPeek(ServiceBusReceiver letters, RedriveProgress progress)
{
    private const int PeekSize = 250;

    // Sequence numbers passed over to get past dead letters that the client cannot convert.
    private const int MaxSkipped = 10_000;

    /// <summary>All dead letters from a sequence number on, but for those that the client cannot convert.</summary>
    public async IAsyncEnumerable<ServiceBusReceivedMessage> AllFromAsync(long next, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        int size = PeekSize;
        int skipped = 0;
        while (true)
        {
            IReadOnlyList<ServiceBusReceivedMessage> page;
            try
            {
                page = await letters.PeekMessagesAsync(size, next, cancellationToken);
            }
            catch (Exception exception) when (skipped < MaxSkipped && ServiceBusFault.Of(exception).Kind == ServiceBusFaultKind.Unreadable)
            {
                // One of the page; its number is found by looking one by one.
                next = size == 1 ? next + 1 : next;
                skipped += size == 1 ? 1 : 0;
                size = 1;
                continue;
            }

            if (page.Count == 0)
            {
                break;
            }

            foreach (ServiceBusReceivedMessage letter in page)
            {
                yield return letter;
            }

            next = page[^1].SequenceNumber + 1;
            size = PeekSize;
        }

        if (skipped > 0)
        {
            progress.AddNote("At least one dead letter cannot be read by the client; it stays. Use Service Bus Explorer in Azure's portal.");
        }
    }
}
