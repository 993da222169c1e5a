using System.Text.Json;
using Messaging.Configuration;
using Messaging.Costs;
using Pipeline.Buffers;

namespace Messaging.Aws.Sqs.Wire;

/// <summary>
/// The SQS operations that the worker uses, over one endpoint; queues are named by the URL that the service returned. Calls that fail as a
/// whole throw <see cref="AwsServiceException"/>; failures of single batch entries are values. Threads: any.
/// </summary>
internal sealed class SqsClient : IDisposable
{
    // Batches in use: one per receive loop, plus those with messages in flight.
    private const int RetainedBatches = 1_024;

    private const int FirstRequestBytes = 1024;

    private readonly SqsTransport _transport;
    private readonly BufferPool _buffers;
    private readonly SqsWireOptions _options;
    private readonly SqsRequestWriter _writer = new();
    private readonly BoundedPool<ReceiveBatch> _batches = new(RetainedBatches);

    /// <summary>Owns <paramref name="transport"/>.</summary>
    public SqsClient(SqsTransport transport, BufferPool buffers, SqsWireOptions options)
    {
        _transport = transport;
        _buffers = buffers;
        _options = options;
    }

    /// <summary>The pool of the client's buffers, also for callers that prepare its calls.</summary>
    public BufferPool Buffers => _buffers;

    /// <summary>Creates a client for the endpoint of <paramref name="queue"/>. May take seconds when the region must be read from the instance's metadata.</summary>
    /// <exception cref="StartupException">See <see cref="SqsEndpoint.Resolve"/>.</exception>
    public static SqsClient Create(AwsOptions aws, SqsQueueReference queue, SqsWireOptions options, BufferPool buffers, TimeProvider time, ApiCalls? calls = null)
    {
        AwsEndpoint endpoint = SqsEndpoint.Resolve(aws, queue, Environment.GetEnvironmentVariable);
        SqsTransport transport = new(
            endpoint,
            AwsCredentialSource.Create(aws, time),
            new AwsClock(time),
            AwsHttpHandler.Create(),
            buffers,
            time,
            options.MaxResponseBytes,
            calls);
        return new SqsClient(transport, buffers, options);
    }

    /// <summary>Receives up to 10 messages.</summary>
    /// <param name="queueUrl">The queue's URL, as the service returned it.</param>
    /// <param name="waitSeconds">0 to 20; how long the service waits for a first message.</param>
    /// <param name="visibilitySeconds">0 to 43,200; how long the messages are hidden from others.</param>
    /// <param name="messages">1 to 10 clean objects; the first ones are filled.</param>
    /// <param name="cancellationToken">Ends the call.</param>
    /// <returns>How many of the messages were filled, each of which the caller releases; the unusable entries, see <see cref="ReceiveBatch.Open"/>; the time that the answer took to arrive.</returns>
    /// <remarks>After a cancellation, messages that were being returned stay hidden for their visibility timeout: if there is time, let the poll end.</remarks>
    public async ValueTask<(int Count, int Unusable, TimeSpan Took)> ReceiveAsync(
        string queueUrl, int waitSeconds, int visibilitySeconds, ReadOnlyMemory<SqsReceivedMessage> messages, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)(messages.Length - 1), (uint)SqsLimits.BatchEntries - 1, nameof(messages));
        PooledBuffer body = _buffers.Rent(FirstRequestBytes);
        PooledBuffer? response = null;
        try
        {
            _writer.WriteReceive(body, queueUrl, messages.Length, waitSeconds, visibilitySeconds);
            TimeSpan deadline = TimeSpan.FromSeconds(waitSeconds) + _options.ReceiveGrace;

            // An answer that does not arrive costs each of its messages a delivery. It is of use while they are still hidden.
            TimeSpan half = TimeSpan.FromSeconds(visibilitySeconds) / 2;
            (response, TimeSpan took) = await _transport.CallAsync(SqsOperation.ReceiveMessage, body, deadline, half > _options.ReceiveGrace ? half : _options.ReceiveGrace, cancellationToken);
            ReceiveBatch batch = _batches.TryTake(out ReceiveBatch? pooled) ? pooled : new ReceiveBatch(_batches);
            (int count, int unusable) = batch.Open(response, messages.Span, _options.VerifyMd5);
            response = null;
            return (count, unusable, took);
        }
        catch (JsonException e)
        {
            throw Malformed(SqsOperation.ReceiveMessage, e);
        }
        finally
        {
            response?.Dispose();
            body.Dispose();
        }
    }

    /// <summary>
    /// Deletes 1 to 10 messages. Each handle occurs once and is borrowed until the call ends. <paramref name="results"/> is filled in order and
    /// undefined when the call throws.
    /// </summary>
    /// <remarks>The service also reports success for an outdated handle; the message is then redelivered.</remarks>
    public ValueTask DeleteBatchAsync(string queueUrl, ReadOnlyMemory<ReadOnlyMemory<byte>> receiptHandles, Memory<BatchEntryResult> results, CancellationToken cancellationToken)
    {
        CheckBatch(receiptHandles.Length, results.Length);
        PooledBuffer body = Write(queueUrl, receiptHandles, static (writer, body, url, entries) => writer.WriteDelete(body, url, entries));
        return CallBatchAsync(SqsOperation.DeleteMessageBatch, body, results, cancellationToken);
    }

    /// <summary>Changes how long 1 to 10 messages stay hidden; 0 s makes a message visible immediately. Results as for <see cref="DeleteBatchAsync"/>.</summary>
    public ValueTask ChangeVisibilityBatchAsync(string queueUrl, ReadOnlyMemory<VisibilityChange> changes, Memory<BatchEntryResult> results, CancellationToken cancellationToken)
    {
        CheckBatch(changes.Length, results.Length);
        PooledBuffer body = Write(queueUrl, changes, static (writer, body, url, entries) => writer.WriteChangeVisibility(body, url, entries));
        return CallBatchAsync(SqsOperation.ChangeMessageVisibilityBatch, body, results, cancellationToken);
    }

    /// <summary>Sends 1 to 10 messages, in total at most 1 MiB. Results as for <see cref="DeleteBatchAsync"/>, with message ids.</summary>
    public ValueTask SendBatchAsync(string queueUrl, ReadOnlyMemory<SendEntry> entries, Memory<BatchEntryResult> results, CancellationToken cancellationToken)
    {
        CheckBatch(entries.Length, results.Length);
        PooledBuffer body = Write(queueUrl, entries, static (writer, body, url, entries) => writer.WriteSendBatch(body, url, entries));
        return CallBatchAsync(SqsOperation.SendMessageBatch, body, results, cancellationToken);
    }

    /// <summary>Sends one message.</summary>
    /// <returns>The service's id of the new message.</returns>
    public async ValueTask<string> SendAsync(string queueUrl, SendEntry entry, CancellationToken cancellationToken)
    {
        PooledBuffer body = _buffers.Rent(FirstRequestBytes);
        try
        {
            _writer.WriteSend(body, queueUrl, entry);
            return await CallForAsync(SqsOperation.SendMessage, body, static root => root.GetProperty("MessageId").GetString(), cancellationToken);
        }
        finally
        {
            body.Dispose();
        }
    }

    /// <summary>The URL of the queue: the configured one, else the service's answer.</summary>
    /// <exception cref="AwsServiceException"><see cref="AwsErrorKind.NotFound"/>: there is no such queue in this account and region.</exception>
    public async ValueTask<string> GetQueueUrlAsync(SqsQueueReference queue, CancellationToken cancellationToken)
    {
        if (queue.Url is { } url)
        {
            return url.OriginalString;
        }

        PooledBuffer body = _buffers.Rent(FirstRequestBytes);
        try
        {
            _writer.WriteGetQueueUrl(body, queue.Name, queue.Account);
            return await CallForAsync(SqsOperation.GetQueueUrl, body, static root => root.GetProperty("QueueUrl").GetString(), cancellationToken);
        }
        finally
        {
            body.Dispose();
        }
    }

    public async ValueTask<QueueAttributes> GetQueueAttributesAsync(string queueUrl, CancellationToken cancellationToken)
    {
        PooledBuffer body = _buffers.Rent(FirstRequestBytes);
        try
        {
            _writer.WriteGetQueueAttributes(body, queueUrl);
            return await CallForAsync(SqsOperation.GetQueueAttributes, body, QueueAttributesReader.Read, cancellationToken);
        }
        finally
        {
            body.Dispose();
        }
    }

    public void Dispose() => _transport.Dispose();

    private PooledBuffer Write<TEntry>(string queueUrl, ReadOnlyMemory<TEntry> entries, Action<SqsRequestWriter, PooledBuffer, string, ReadOnlySpan<TEntry>> write)
    {
        PooledBuffer body = _buffers.Rent(FirstRequestBytes);
        try
        {
            write(_writer, body, queueUrl, entries.Span);
            return body;
        }
        catch
        {
            body.Dispose();
            throw;
        }
    }

    /// <summary>Takes ownership of <paramref name="body"/>.</summary>
    private async ValueTask CallBatchAsync(SqsOperation operation, PooledBuffer body, Memory<BatchEntryResult> results, CancellationToken cancellationToken)
    {
        PooledBuffer? response = null;
        try
        {
            (response, _) = await _transport.CallAsync(operation, body, _options.CallTimeout, bodyLimit: null, cancellationToken);
            BatchResponseReader.Read(response.WrittenSpan, results.Span);
        }
        catch (JsonException e)
        {
            throw Malformed(operation, e);
        }
        finally
        {
            response?.Dispose();
            body.Dispose();
        }
    }

    private async ValueTask<T> CallForAsync<T>(SqsOperation operation, PooledBuffer body, Func<JsonElement, T?> read, CancellationToken cancellationToken)
        where T : class
    {
        (PooledBuffer response, _) = await _transport.CallAsync(operation, body, _options.CallTimeout, bodyLimit: null, cancellationToken);
        try
        {
            using JsonDocument document = JsonDocument.Parse(response.WrittenMemory);
            return read(document.RootElement) ?? throw new JsonException("A value is null.");
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or KeyNotFoundException or FormatException)
        {
            throw Malformed(operation, e);
        }
        finally
        {
            response.Dispose();
        }
    }

    private static void CheckBatch(int entries, int results)
    {
        ArgumentOutOfRangeException.ThrowIfZero(entries);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(entries, SqsLimits.BatchEntries);
        ArgumentOutOfRangeException.ThrowIfNotEqual(results, entries);
    }

    // Transient: a cut answer, or a proxy's page with status 200; the next answer may be complete.
    private static AwsServiceException Malformed(SqsOperation operation, Exception e) =>
        AwsServiceException.Local(AwsErrorKind.Transient, operation.Name, "MalformedResponse", "the answer does not have the documented form", e);
}
