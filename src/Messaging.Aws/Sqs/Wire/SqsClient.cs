using System.Net;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Frames;

namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>
/// The SQS operations that the worker uses, over one endpoint; queues are named by the URL that the service returned. Calls that fail as a
/// whole throw <see cref="AwsServiceException"/>; failures of single batch entries are values. Threads: any.
/// </summary>
internal sealed class SqsClient : IDisposable
{
    // Batches in use: one per receive loop, plus those with messages in flight.
    private const int RetainedBatches = 1_024;

    private const int FirstRequestBytes = 1024;

    private readonly Uri _address;
    private readonly AwsTransport _transport;
    private readonly BufferPool _buffers;
    private readonly TimeProvider _time;
    private readonly SqsWireOptions _options;
    private readonly SqsRequestWriter _writer = new();
    private readonly BoundedPool<ReceiveBatch> _batches = new(RetainedBatches);

    /// <summary>Owns <paramref name="credentials"/> and <paramref name="handler"/>, see <see cref="AwsTransport"/>.</summary>
    public SqsClient(
        AwsEndpoint endpoint, AwsCredentialSource credentials, AwsClock clock, HttpMessageHandler handler, BufferPool buffers, TimeProvider time,
        SqsWireOptions options, ApiCalls? calls = null)
    {
        _address = endpoint.BaseUri;
        _transport = new AwsTransport(new SigV4Signer("sqs", endpoint.Region, clock), credentials, handler, buffers, calls);
        _buffers = buffers;
        _time = time;
        _options = options;
    }

    /// <summary>The pool of the client's buffers, also for callers that prepare its calls.</summary>
    public BufferPool Buffers => _buffers;

    /// <summary>
    /// Creates a client for the endpoint of <paramref name="queue"/>. May take seconds when the region must be read from the instance's metadata.
    /// </summary>
    /// <exception cref="StartupException">See <see cref="SqsEndpoint.Resolve"/>.</exception>
    public static SqsClient Create(
        AwsOptions aws, SqsQueueReference queue, SqsWireOptions options, BufferPool buffers, TimeProvider time, ApiCalls? calls = null)
    {
        AwsEndpoint endpoint = SqsEndpoint.Resolve(aws, queue, Environment.GetEnvironmentVariable);
        return new SqsClient(
            endpoint, AwsCredentialSource.Create(aws, time), new AwsClock(time), AwsHttpHandler.Create(custom: endpoint.BaseUri), buffers, time, options,
            calls);
    }

    /// <summary>Receives up to 10 messages.</summary>
    /// <param name="queueUrl">The queue's URL, as the service returned it.</param>
    /// <param name="waitSeconds">0 to 20; how long the service waits for a first message.</param>
    /// <param name="visibilitySeconds">0 to 43,200; how long the messages are hidden from others.</param>
    /// <param name="messages">1 to 10 clean objects; the first ones are filled.</param>
    /// <param name="cancellationToken">Ends the call.</param>
    /// <returns>How many of the messages were filled, each of which the caller releases; the unusable entries, see <see cref="ReceiveBatch.Open"/>; the time
    /// that the answer took to arrive.</returns>
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
            (response, TimeSpan took) =
                await CallAsync(SqsOperation.ReceiveMessage, body, deadline, half > _options.ReceiveGrace ? half : _options.ReceiveGrace, cancellationToken);
            ReceiveBatch batch = _batches.TryTake(out ReceiveBatch? pooled) ? pooled : new ReceiveBatch(_batches);
            (int count, int unusable) = batch.Open(response, messages.Span);
            response = null;
            return (count, unusable, took);
        }
        catch (JsonException e)
        {
            throw Malformed(SqsOperation.ReceiveMessage, e, response);
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
    public ValueTask DeleteBatchAsync(
        string queueUrl, ReadOnlyMemory<ReadOnlyMemory<byte>> receiptHandles, Memory<BatchEntryResult> results, CancellationToken cancellationToken)
    {
        CheckBatch(receiptHandles.Length, results.Length);
        PooledBuffer body = Write(queueUrl, receiptHandles, static (writer, body, url, entries) => writer.WriteDelete(body, url, entries));
        return CallBatchAsync(SqsOperation.DeleteMessageBatch, body, results, cancellationToken);
    }

    /// <summary>
    /// Changes how long 1 to 10 messages stay hidden; 0 s makes a message visible immediately. Results as for <see cref="DeleteBatchAsync"/>.
    /// </summary>
    public ValueTask ChangeVisibilityBatchAsync(
        string queueUrl, ReadOnlyMemory<VisibilityChange> changes, Memory<BatchEntryResult> results, CancellationToken cancellationToken)
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
    public ValueTask<string> SendAsync(string queueUrl, SendEntry entry, CancellationToken cancellationToken) => CallForAsync(
        SqsOperation.SendMessage, body => _writer.WriteSend(body, queueUrl, entry), static root => root.GetProperty("MessageId").GetString(),
        cancellationToken);

    /// <summary>The URL of the queue: the configured one, else the service's answer.</summary>
    /// <exception cref="AwsServiceException"><see cref="AwsErrorKind.Missing"/>: there is no such queue in this account and region.</exception>
    public ValueTask<string> GetQueueUrlAsync(SqsQueueReference queue, CancellationToken cancellationToken) => queue.Url is { } url
        ? new ValueTask<string>(url.OriginalString)
        : CallForAsync(
            SqsOperation.GetQueueUrl, body => _writer.WriteGetQueueUrl(body, queue.Name, queue.Account),
            static root => root.GetProperty("QueueUrl").GetString(), cancellationToken);

    public ValueTask<QueueAttributes> GetQueueAttributesAsync(string queueUrl, CancellationToken cancellationToken) => CallForAsync(
        SqsOperation.GetQueueAttributes, body => _writer.WriteGetQueueAttributes(body, queueUrl), QueueAttributesReader.Read, cancellationToken);

    public void Dispose() => _transport.Dispose();

    private PooledBuffer Write<TEntry>(
        string queueUrl, ReadOnlyMemory<TEntry> entries, Action<SqsRequestWriter, PooledBuffer, string, ReadOnlySpan<TEntry>> write)
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
            (response, _) = await CallAsync(operation, body, _options.CallTimeout, bodyLimit: null, cancellationToken);
            BatchResponseReader.Read(response.WrittenSpan, results.Span);
        }
        catch (JsonException e)
        {
            throw Malformed(operation, e, response);
        }
        finally
        {
            response?.Dispose();
            body.Dispose();
        }
    }

    private async ValueTask<T> CallForAsync<T>(
        SqsOperation operation, Action<PooledBuffer> write, Func<JsonElement, T?> read, CancellationToken cancellationToken)
        where T : class
    {
        using PooledBuffer body = _buffers.Rent(FirstRequestBytes);
        write(body);
        (PooledBuffer response, _) = await CallAsync(operation, body, _options.CallTimeout, bodyLimit: null, cancellationToken);
        try
        {
            using JsonDocument document = JsonDocument.Parse(response.WrittenMemory);
            return read(document.RootElement) ?? throw new JsonException("A value is null.");
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or KeyNotFoundException or FormatException)
        {
            throw Malformed(operation, e, response);
        }
        finally
        {
            response.Dispose();
        }
    }

    /// <summary>Calls one operation.</summary>
    /// <param name="operation">The operation.</param>
    /// <param name="request">The JSON; borrowed until the call ends.</param>
    /// <param name="deadline">For the whole call: credentials, connecting, all attempts, up to the last byte of the answer.</param>
    /// <param name="bodyLimit">Time for the body of a 200 answer once it has begun; null for the rest of the deadline.</param>
    /// <param name="cancellationToken">Ends the call early.</param>
    /// <returns>The body of the 200 answer, which the caller disposes, and the time it took to arrive.</returns>
    /// <exception cref="AwsServiceException">Any failure; an exceeded deadline is <see cref="AwsErrorKind.Transient"/>.</exception>
    /// <exception cref="OperationCanceledException">Only for <paramref name="cancellationToken"/>.</exception>
    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    private async ValueTask<(PooledBuffer Body, TimeSpan Took)> CallAsync(
        SqsOperation operation, PooledBuffer request, TimeSpan deadline, TimeSpan? bodyLimit, CancellationToken cancellationToken)
    {
        using CancellationTokenSource timer = new(deadline, _time);
        using CancellationTokenRegistration link = cancellationToken.UnsafeRegister(static source => ((CancellationTokenSource)source!).Cancel(), timer);
        TimeSpan limit = deadline;
        try
        {
            using HttpRequestMessage message = CreateMessage(operation, request.WrittenMemory);
            (HttpResponseMessage? answered, AwsError? error) = await _transport.CallAsync(operation.Counted, message, timer.Token);
            using HttpResponseMessage response = answered ?? throw AwsServiceException.FromResponse(operation.Name, error!, KindOf(error!));
            long begunAt = _time.GetTimestamp();
            if (bodyLimit is { } bodyTime)
            {
                limit = bodyTime;
                timer.CancelAfter(bodyTime);
            }

            int max = _options.MaxResponseBytes;
            PooledBuffer? body = response.Content.Headers.ContentLength > max ? null : await _transport.ReadAsync(response, max, timer.Token);
            if (body is null || body.Length > max)
            {
                body?.Dispose();
                throw AwsServiceException.Local(AwsErrorKind.Rejected, operation.Name, "ResponseTooLarge", $"the answer is longer than {max} bytes");
            }

            return (body, _time.GetElapsedTime(begunAt));
        }
        catch (Exception e) when (cancellationToken.IsCancellationRequested && e is OperationCanceledException or HttpRequestException or IOException)
        {
            throw new OperationCanceledException("The call was cancelled.", e, cancellationToken);
        }
        catch (OperationCanceledException e)
        {
            string detail = timer.IsCancellationRequested ? $"no complete answer within {limit.TotalSeconds:0.#} s" : "no connection in time";
            throw AwsServiceException.Local(AwsErrorKind.Transient, operation.Name, "Timeout", detail, e);
        }
        catch (Exception e) when (e is HttpRequestException or IOException)
        {
            throw AwsServiceException.Local(AwsErrorKind.Transient, operation.Name, "ConnectionError", ConnectionFault.Describe(e), e);
        }
    }

    private HttpRequestMessage CreateMessage(SqsOperation operation, ReadOnlyMemory<byte> body)
    {
        BorrowedContent content = new() { Bytes = body };
        content.Headers.TryAddWithoutValidation("Content-Type", "application/x-amz-json-1.0");
        HttpRequestMessage message = new(HttpMethod.Post, _address) { Content = content, Version = HttpVersion.Version11 };
        message.Headers.TryAddWithoutValidation("X-Amz-Target", operation.Target);
        return message;
    }

    // A code that is not known says nothing about the request; then its status does.
    private static AwsErrorKind KindOf(AwsError error) => (error.Kind, error.Status) switch
    {
        (not AwsErrorKind.Undecided, _) => error.Kind,
        (_, 429) => AwsErrorKind.Throttled,
        (_, 401 or 403) => AwsErrorKind.Refused,
        (_, 404) => AwsErrorKind.Missing,
        (_, 408 or >= 500) => AwsErrorKind.Transient,
        _ => AwsErrorKind.Rejected,
    };

    private static void CheckBatch(int entries, int results)
    {
        ArgumentOutOfRangeException.ThrowIfZero(entries);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(entries, SqsLimits.BatchEntries);
        ArgumentOutOfRangeException.ThrowIfNotEqual(results, entries);
    }

    // Transient: a cut answer, or a proxy's page with status 200; the next answer may be complete.
    private static AwsServiceException Malformed(SqsOperation operation, Exception e, PooledBuffer? response)
    {
        ReadOnlySpan<byte> sent = response is null ? default : response.WrittenSpan;
        string what = sent.TrimStart(" \t\r\n"u8) is [(byte)'{', ..] ? "the answer does not have the documented form"
            : $"the address answers, but is not SQS. It sent {UntrustedText.Quote(sent)}";
        string detail = $"{what}: check {SqsQueueFinder.AddressSettings}";
        return AwsServiceException.Local(AwsErrorKind.Transient, operation.Name, "MalformedResponse", detail, e);
    }
}
