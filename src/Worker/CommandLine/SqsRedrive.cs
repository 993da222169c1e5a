using Microsoft.Extensions.Configuration;
using Pipeline.Buffers;
using Worker.Aws;
using Worker.Configuration;
using Worker.Hosting;
using Worker.Sources.Sqs;
using Worker.Sources.Sqs.Wire;
using Worker.Telemetry;

namespace Worker.CommandLine;

/// <summary>
/// Moves messages of the dead-letter queue back to the queue: sent first, deleted afterwards, so that a crash duplicates and never
/// loses. Letters that stay are visible again when it ends. A FIFO dead-letter queue shows no more than the first ten letters of a
/// group while they stay, so a filter or a dry run may not see them all.
/// </summary>
internal sealed class SqsRedrive
{
    // Long enough to look at every letter of a large queue without meeting many again; those that stay are handed back at the end.
    private const int HiddenSeconds = 120;

    // Standard queues may answer empty while they hold messages; so many answers in a row without a new letter mean done.
    private const int FruitlessAnswers = 3;

    // A letter that was sent and stays would be sent twice by the next redrive.
    private const int DeleteAttempts = 3;

    private readonly SqsClient _client;
    private readonly SqsQueues _queues;
    private readonly RedriveRequest _request;
    private readonly HashSet<Guid> _seen = [];
    private readonly List<byte[]> _staying = [];
    private int _found;
    private int _sent;
    private string? _firstError;

    private SqsRedrive(SqsClient client, SqsQueues queues, RedriveRequest request)
    {
        _client = client;
        _queues = queues;
        _request = request;
    }

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
            return await new SqsRedrive(client, queues, request).MoveAllAsync(cancellationToken);
        }
        catch (AwsServiceException exception)
        {
            throw new StartupException($"Queue {queue.Name}: {exception.Message}. Check the queue's name, Aws:Region, Aws:Endpoint and the credentials (deploy/iam/redrive-policy.json).", ExitCodes.Unavailable, exception);
        }
    }

    private async Task<RedriveResult> MoveAllAsync(CancellationToken cancellationToken)
    {
        try
        {
            int fruitless = 0;
            while (_found < _request.Max && fruitless < FruitlessAnswers)
            {
                ReceiveBatch batch = await _client.ReceiveAsync(new ReceiveRequest(_queues.DeadLetterUrl, SqsLimits.BatchEntries, WaitSeconds: 1, HiddenSeconds), cancellationToken);
                try
                {
                    int before = _seen.Count;
                    for (int i = 0; i < batch.Count; i++)
                    {
                        if (!await LookAtAsync(batch[i], cancellationToken))
                        {
                            _staying.Add(batch[i].ReceiptHandle.ToArray());
                        }
                    }

                    fruitless = _seen.Count == before ? fruitless + 1 : 0;
                }
                finally
                {
                    batch.ReleaseAll();
                }
            }

            return new RedriveResult(_found, _sent, _firstError);
        }
        finally
        {
            await HandBackAsync();
        }
    }

    /// <returns>False when the letter stays.</returns>
    private async ValueTask<bool> LookAtAsync(SqsMessage message, CancellationToken cancellationToken)
    {
        bool isNew = _seen.Add(SqsReceivedMessage.KeyOf(message.MessageId.Span));
        IReadOnlyList<SqsMessageAttribute> attributes = message.Attributes.ToList();
        string? reason = attributes.FirstOrDefault(a => a.Name == SqsDeadLetters.ReasonAttribute)?.StringValue;
        if (!isNew || _found >= _request.Max || (_request.Reason is not null && !string.Equals(reason, _request.Reason, StringComparison.Ordinal)))
        {
            return false;
        }

        _found++;
        if (_request.DryRun)
        {
            Console.Out.WriteLine($"{reason ?? "(moved by SQS)"}  {UntrustedText.Shorten(message.MessageId.Span)}");
            return false;
        }

        string? error = await MoveAsync(message, attributes, cancellationToken);
        _sent += error is null ? 1 : 0;
        _firstError ??= error;
        return error is null;
    }

    private async ValueTask<string?> MoveAsync(SqsMessage message, IReadOnlyList<SqsMessageAttribute> attributes, CancellationToken cancellationToken)
    {
        SqsMessageAttribute[] kept = [.. attributes.Where(a => a.Name is not SqsDeadLetters.ReasonAttribute and not SqsDeadLetters.DetailsAttribute)];
        SendEntry entry = new(message.Body, kept);
        if (_queues.IsFifo)
        {
            // A new deduplication id: the old one may still be remembered from the first time, and the message would vanish.
            entry = entry with { GroupId = System.Text.Encoding.UTF8.GetString(message.GroupId.Span), DeduplicationId = MessageGenerator.NewId(TimeProvider.System) };
        }

        try
        {
            await _client.SendAsync(_queues.Url, entry, cancellationToken);
        }
        catch (AwsServiceException exception)
        {
            return exception.Message;
        }

        // Not to be cancelled: what was sent should go from here.
        return await DeleteAsync(message.ReceiptHandle) is { } error ? $"sent, but not deleted from the dead letters: {error}" : null;
    }

    private async ValueTask<string?> DeleteAsync(ReadOnlyMemory<byte> handle)
    {
        string error = string.Empty;
        for (int attempt = 0; attempt < DeleteAttempts; attempt++)
        {
            try
            {
                BatchEntryResult[] results = new BatchEntryResult[1];
                await _client.DeleteBatchAsync(_queues.DeadLetterUrl, new[] { handle }, results, CancellationToken.None);
                if (results[0].Succeeded)
                {
                    return null;
                }

                error = results[0].Code ?? string.Empty;
            }
            catch (AwsServiceException exception)
            {
                error = exception.Message;
            }
        }

        return error;
    }

    /// <summary>Makes the letters that stay visible again; what fails becomes visible by itself.</summary>
    private async Task HandBackAsync()
    {
        try
        {
            foreach (byte[][] handles in _staying.Chunk(SqsLimits.BatchEntries))
            {
                VisibilityChange[] changes = [.. handles.Select(handle => new VisibilityChange(handle, VisibilitySeconds: 0))];
                await _client.ChangeVisibilityBatchAsync(_queues.DeadLetterUrl, changes, new BatchEntryResult[changes.Length], CancellationToken.None);
            }
        }
        catch (AwsServiceException)
        {
            // Until the end of their time nobody sees them, and that is all.
        }
    }
}
