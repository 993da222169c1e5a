using Microsoft.Extensions.Configuration;
using Pipeline.Buffers;
using Worker.Aws;
using Worker.Configuration;
using Worker.Hosting;
using Worker.Sources.Sqs;
using Worker.Sources.Sqs.Wire;
using Worker.Telemetry;

namespace Worker.CommandLine;

/// <summary>Moves messages of the dead-letter queue back to the queue: sent first, deleted afterwards, so that a crash duplicates and never loses.</summary>
internal static class SqsRedrive
{
    // Long enough to look at every letter once without meeting it again, short enough to leave them usable soon after.
    private const int HiddenSeconds = 120;

    // Standard queues may answer empty while they hold messages; so many empty answers in a row mean done.
    private const int EmptyAnswers = 3;

    public static async Task<RedriveResult> RunAsync(IConfiguration configuration, RedriveRequest request, CancellationToken cancellationToken)
    {
        SettingsReader settings = new(configuration);
        SqsSourceOptions options = settings.Read<SqsSourceOptions>(SqsSourceOptions.Section, request.Route);
        AwsOptions aws = settings.Read<AwsOptions>(AwsOptions.Section, request.Route);
        if (settings.Errors.Count > 0)
        {
            throw new ConfigurationException(settings.Errors);
        }

        SqsQueueReference queue = SqsQueueReference.Parse(options.Queue!)!;
        using SqsClient client = SqsClient.Create(aws, queue, new SqsWireOptions(), BufferPool.Shared, TimeProvider.System);
        try
        {
            SqsQueues queues = await new SqsQueueFinder(client, queue, options).FindAsync(cancellationToken);
            return await MoveAsync(client, queues, request, cancellationToken);
        }
        catch (AwsServiceException exception)
        {
            throw new StartupException($"Queue {queue.Name}: {exception.Message}. Check the queue's name, Aws:Region, Aws:Endpoint and the credentials (deploy/iam/redrive-policy.json).", ExitCodes.Unavailable, exception);
        }
    }

    private static async Task<RedriveResult> MoveAsync(SqsClient client, SqsQueues queues, RedriveRequest request, CancellationToken cancellationToken)
    {
        int found = 0;
        int sent = 0;
        int empty = 0;
        string? firstError = null;
        HashSet<Guid> seen = [];
        while (found < request.Max && empty < EmptyAnswers)
        {
            ReceiveBatch batch = await client.ReceiveAsync(new ReceiveRequest(queues.DeadLetterUrl, SqsLimits.BatchEntries, WaitSeconds: 1, HiddenSeconds), cancellationToken);
            try
            {
                empty = batch.Count == 0 ? empty + 1 : 0;
                for (int i = 0; i < batch.Count && found < request.Max; i++)
                {
                    SqsMessage message = batch[i];
                    IReadOnlyList<SqsMessageAttribute> attributes = message.Attributes.ToList();
                    string? reason = attributes.FirstOrDefault(a => a.Name == SqsDeadLetters.ReasonAttribute)?.StringValue;
                    if (!seen.Add(SqsReceivedMessage.KeyOf(message.MessageId.Span)))
                    {
                        // All were looked at once and the first come again.
                        empty = EmptyAnswers;
                        continue;
                    }

                    if (request.Reason is not null && !string.Equals(reason, request.Reason, StringComparison.Ordinal))
                    {
                        continue;
                    }

                    found++;
                    if (request.DryRun)
                    {
                        Console.Out.WriteLine($"{reason ?? "(moved by SQS)"}  {UntrustedText.Shorten(message.MessageId.Span)}");
                        continue;
                    }

                    string? error = await MoveAsync(client, queues, message, attributes, cancellationToken);
                    sent += error is null ? 1 : 0;
                    firstError ??= error;
                }
            }
            finally
            {
                batch.ReleaseAll();
            }
        }

        return new RedriveResult(found, sent, firstError);
    }

    private static async Task<string?> MoveAsync(SqsClient client, SqsQueues queues, SqsMessage message, IReadOnlyList<SqsMessageAttribute> attributes, CancellationToken cancellationToken)
    {
        SqsMessageAttribute[] kept = [.. attributes.Where(a => a.Name is not SqsDeadLetters.ReasonAttribute and not SqsDeadLetters.DetailsAttribute)];
        SendEntry entry = new(message.Body, kept);
        if (queues.IsFifo)
        {
            // A new deduplication id: the old one may still be remembered from the first time, and the message would vanish.
            entry = entry with { GroupId = System.Text.Encoding.ASCII.GetString(message.GroupId.Span), DeduplicationId = MessageGenerator.NewId(TimeProvider.System) };
        }

        try
        {
            await client.SendAsync(queues.Url, entry, cancellationToken);
            BatchEntryResult[] results = new BatchEntryResult[1];
            await client.DeleteBatchAsync(queues.DeadLetterUrl, new[] { message.ReceiptHandle }, results, cancellationToken);
            return results[0].Succeeded ? null : $"sent, but not deleted from the dead letters: {results[0].Code}";
        }
        catch (AwsServiceException exception)
        {
            return exception.Message;
        }
    }
}
