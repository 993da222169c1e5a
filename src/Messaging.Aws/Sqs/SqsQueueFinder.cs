using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>Finds the queue and its dead-letter queue, and rejects settings that can never work or would lose messages.</summary>
internal sealed class SqsQueueFinder(SqsClient client, SqsQueueReference queue, SqsSourceOptions options)
{
    /// <summary>The settings that decide at which address SQS is called.</summary>
    public const string AddressSettings = $"Aws:Endpoint, AWS_ENDPOINT_URL_SQS and {SqsSourceOptions.Section}:{nameof(SqsSourceOptions.Queue)}";

    /// <exception cref="StartupException">The queue can never work as configured.</exception>
    /// <exception cref="AwsServiceException">The queue is unreachable now.</exception>
    public async Task<SqsQueues> FindAsync(CancellationToken cancellationToken)
    {
        string url = await GetUrlAsync(queue, nameof(SqsSourceOptions.Queue), cancellationToken);
        QueueAttributes attributes;
        try
        {
            attributes = await client.GetQueueAttributesAsync(url, cancellationToken);
        }
        catch (AwsServiceException exception) when (IsForeign(exception))
        {
            throw Foreign(exception);
        }
        catch (AwsServiceException exception) when (exception.Kind is AwsErrorKind.Missing)
        {
            throw Missing(nameof(SqsSourceOptions.Queue), queue.Name, exception);
        }
        catch (AwsServiceException exception) when (IsFinal(exception))
        {
            throw Refused(queue.Name, exception);
        }

        if (attributes.MaxReceiveCount == 1)
        {
            throw new StartupException(
                $"The redrive policy of queue {queue.Name} has maxReceiveCount 1: "
                    + "a single failed store would dead-letter a message. Set it to 10 (at least 3).", ExitCodes.Configuration);
        }

        SqsQueueReference deadLetters = FindDeadLetters(attributes);

        // By name even when its URL is configured: only the service's answer shows that it exists before the first poison needs it.
        string deadLetterUrl = await GetUrlAsync(deadLetters with { Url = null }, nameof(SqsSourceOptions.DeadLetterQueue), cancellationToken);
        if (IsSameQueue(deadLetterUrl, url))
        {
            throw new StartupException(
                $"{SqsSourceOptions.Section}:DeadLetterQueue {deadLetters.Name} is the queue itself: "
                    + "poison messages would be redelivered forever. Name another queue.", ExitCodes.Configuration);
        }

        bool isFifo = attributes.IsFifo || queue.IsFifo;
        if (isFifo != deadLetters.IsFifo)
        {
            throw new StartupException(
                $"{SqsSourceOptions.Section}:DeadLetterQueue {deadLetters.Name}: a FIFO queue needs a FIFO dead-letter queue, "
                    + "and a standard queue a standard one.", ExitCodes.Configuration);
        }

        return new SqsQueues(url, deadLetterUrl, isFifo, attributes.MaxReceiveCount);
    }

    // A queue has several URLs: those of a VPC endpoint, of an old host name, of a proxy.
    private static bool IsSameQueue(string url, string other) =>
        SqsQueueReference.Parse(url) is { } first && SqsQueueReference.Parse(other) is { } second
            ? first.Name == second.Name && (first.Account is null || second.Account is null || first.Account == second.Account)
            : string.Equals(url, other, StringComparison.Ordinal);

    private SqsQueueReference FindDeadLetters(QueueAttributes attributes)
    {
        string? text = options.DeadLetterQueue ?? attributes.DeadLetterTargetArn;
        return text is not null && SqsQueueReference.Parse(text) is { } found
            ? found
            : throw new StartupException(
                $"Queue {queue.Name} has no dead-letter queue: poison messages would be redelivered forever. Give the queue a redrive policy (maxReceiveCount "
                    + $"10), or set {SqsSourceOptions.Section}:DeadLetterQueue.",
                ExitCodes.Configuration);
    }

    private async Task<string> GetUrlAsync(SqsQueueReference reference, string key, CancellationToken cancellationToken)
    {
        try
        {
            return await client.GetQueueUrlAsync(reference, cancellationToken);
        }
        catch (AwsServiceException exception) when (IsForeign(exception))
        {
            throw Foreign(exception);
        }
        catch (AwsServiceException exception) when (exception.Kind is AwsErrorKind.Missing)
        {
            throw Missing(key, reference.Name, exception);
        }
        catch (AwsServiceException exception) when (IsFinal(exception))
        {
            throw Refused(reference.Name, exception);
        }
    }

    // A rejection without a status is an answer that is too long.
    private static bool IsFinal(AwsServiceException exception) =>
        exception.Kind is AwsErrorKind.Refused or AwsErrorKind.ExpiredCredentials || exception is { Kind: AwsErrorKind.Rejected, Status: > 0 };

    // SQS sends a code with every error, a proxy's page has none.
    private static bool IsForeign(AwsServiceException exception) =>
        exception.Status is > 0 and < 500 and not (408 or 429) && exception.Code == $"HTTP {exception.Status}";

    // A proxy in front of SQS may start later than the worker.
    private static AwsServiceException Foreign(AwsServiceException exception) => AwsServiceException.Local(
        AwsErrorKind.Transient, exception.Operation, exception.Code,
        $"the address answers, but is not SQS{(exception.Detail.Length > 0 ? $". It sent {exception.Detail}" : string.Empty)}: check {AddressSettings}",
        exception);

    private static StartupException Missing(string key, string name, AwsServiceException exception) => new(
        $"{SqsSourceOptions.Section}:{key}: there is no queue {name} in this account and region. Create it, or correct the name, "
            + $"Aws:Region or Aws:Endpoint. ({exception.Message})",
        ExitCodes.Unavailable,
        exception);

    private static StartupException Refused(string name, AwsServiceException exception) => exception.Kind == AwsErrorKind.Rejected ? new(
        $"Queue {name}: the server does not accept a valid request of SQS's JSON protocol: HTTP {exception.Status}, {exception.Message}. Correct Aws:Endpoint "
            + $"or {SqsSourceOptions.Section}:{nameof(SqsSourceOptions.Queue)}, "
            + "or use a version of the server that supports the protocol (application/x-amz-json-1.0).",
        ExitCodes.Configuration,
        exception) : new(
        $"Queue {name}: access was refused. Configure credentials (environment, profile, role, or Aws:AccessKeyId and Aws:SecretAccessKey) with the "
            + $"permissions in deploy/iam/worker-policy.json. ({exception.Message})",
        ExitCodes.NoPermission,
        exception);
}

/// <summary>The queues as the service knows them.</summary>
/// <param name="Url">The queue's URL.</param>
/// <param name="DeadLetterUrl">The dead-letter queue's URL.</param>
/// <param name="IsFifo">True for a FIFO queue; its dead-letter queue is one too.</param>
/// <param name="MaxReceiveCount">Deliveries after which SQS moves a message to the dead-letter queue; 0 without a redrive policy.</param>
internal sealed record SqsQueues(string Url, string DeadLetterUrl, bool IsFifo, int MaxReceiveCount);
