using System.Net;
using Messaging.Costs;
using Messaging.Telemetry;
using Pipeline.Buffers;

namespace Messaging.Aws.Sqs.Wire;

/// <summary>
/// Sends one signed AWS JSON 1.0 request and reads its answer, within a total deadline. Retries only as <see cref="SignatureRecovery"/>
/// does; backing off is the caller's task. Threads: any.
/// </summary>
internal sealed class SqsTransport : IDisposable
{
    // An error's text is a few hundred bytes; the rest of a proxy's long page is of no use.
    private const int MaxErrorBytes = 64 * 1024;

    // A response without a length: room for a few small messages before the first growth.
    private const int FirstRead = 16 * 1024;

    // An announced length reserves no more than this before bytes arrive.
    private const int MaxFirstRent = 1024 * 1024;

    private readonly Uri _address;
    private readonly AwsCredentialSource _credentials;
    private readonly AwsClock _clock;
    private readonly SigV4Signer _signer;
    private readonly HttpMessageInvoker _http;
    private readonly BufferPool _buffers;
    private readonly TimeProvider _time;
    private readonly int _maxResponseBytes;
    private readonly ApiCalls _calls;

    /// <summary>Owns <paramref name="credentials"/> and <paramref name="handler"/>, which must use HTTP/1.1 (see <see cref="BorrowedContent"/>).</summary>
    public SqsTransport(AwsEndpoint endpoint, AwsCredentialSource credentials, AwsClock clock, HttpMessageHandler handler, BufferPool buffers, TimeProvider time, int maxResponseBytes, ApiCalls? calls = null)
    {
        _address = endpoint.BaseUri;
        _credentials = credentials;
        _clock = clock;
        _signer = new SigV4Signer("sqs", endpoint.Region, clock);
        _http = new HttpMessageInvoker(handler, disposeHandler: true);
        _buffers = buffers;
        _time = time;
        _maxResponseBytes = maxResponseBytes;
        _calls = calls ?? new ApiCalls();
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
    public async ValueTask<(PooledBuffer Body, TimeSpan Took)> CallAsync(SqsOperation operation, PooledBuffer request, TimeSpan deadline, TimeSpan? bodyLimit, CancellationToken cancellationToken)
    {
        using CancellationTokenSource timer = new(deadline, _time);
        using CancellationTokenRegistration link = cancellationToken.UnsafeRegister(static source => ((CancellationTokenSource)source!).Cancel(), timer);
        SignatureRecovery? recovery = null;
        TimeSpan limit = deadline;
        try
        {
            while (true)
            {
                SigningCredentials credentials = await _credentials.GetAsync(timer.Token);
                using HttpRequestMessage message = CreateMessage(operation, request.WrittenMemory);
                DateTimeOffset signedAt = _signer.Sign(message, request.WrittenSpan, credentials);
                HttpResponseMessage answered;
                try
                {
                    answered = await _http.SendAsync(message, timer.Token);
                }
                catch (Exception e)
                {
                    _calls.Failed(operation.Billed, e, request.Length);
                    throw;
                }

                using HttpResponseMessage response = answered;
                _calls.Sending(operation.Billed, request.Length);
                if (response.StatusCode == HttpStatusCode.OK)
                {
                    long begunAt = _time.GetTimestamp();
                    if (bodyLimit is { } bodyTime)
                    {
                        limit = bodyTime;
                        timer.CancelAfter(bodyTime);
                    }

                    PooledBuffer answer = await ReadBodyAsync(operation, response, _maxResponseBytes, cut: false, timer.Token);
                    _calls.Answered(operation.Billed, answer.Length);
                    return (answer, _time.GetElapsedTime(begunAt));
                }

                AwsErrorResponse error = await ReadErrorAsync(operation, response, timer.Token);
                AwsErrorKind kind = AwsErrorClassifier.Classify(error.Status, error.Code, error.Message, (error.ServerTime - signedAt)?.Duration() ?? default);
                recovery ??= new SignatureRecovery(_clock, _credentials);
                if (!await recovery.TryAsync(kind, error.ServerTime, credentials, timer.Token))
                {
                    throw AwsServiceException.FromResponse(operation.Name, error, kind);
                }
            }
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

    public void Dispose()
    {
        _http.Dispose();
        _credentials.Dispose();
    }

    private HttpRequestMessage CreateMessage(SqsOperation operation, ReadOnlyMemory<byte> body)
    {
        BorrowedContent content = new() { Bytes = body };
        content.Headers.TryAddWithoutValidation("Content-Type", "application/x-amz-json-1.0");
        HttpRequestMessage message = new(HttpMethod.Post, _address) { Content = content, Version = HttpVersion.Version11 };
        message.Headers.TryAddWithoutValidation("X-Amz-Target", operation.Target);
        return message;
    }

    private async ValueTask<AwsErrorResponse> ReadErrorAsync(SqsOperation operation, HttpResponseMessage response, CancellationToken cancellationToken)
    {
        PooledBuffer body = await ReadBodyAsync(operation, response, MaxErrorBytes, cut: true, cancellationToken);
        try
        {
            return AwsJsonErrorReader.Read(response, body.WrittenSpan);
        }
        finally
        {
            body.Dispose();
        }
    }

    /// <summary>Reads to the end, or to the limit: a longer body is cut off or refused.</summary>
    private async ValueTask<PooledBuffer> ReadBodyAsync(SqsOperation operation, HttpResponseMessage response, int limit, bool cut, CancellationToken cancellationToken)
    {
        long? length = response.Content.Headers.ContentLength;
        if (length > limit && !cut)
        {
            throw TooLarge(operation, limit);
        }

        // One byte more than announced, for the read that finds the end.
        PooledBuffer? buffer = _buffers.Rent((int)Math.Min(length + 1 ?? FirstRead, MaxFirstRent));
        try
        {
            Stream stream = await response.Content.ReadAsStreamAsync(cancellationToken);
            while (true)
            {
                int read = await stream.ReadAsync(buffer.GetMemory(), cancellationToken);
                buffer.Advance(read);
                if (buffer.Length > limit && !cut)
                {
                    throw TooLarge(operation, limit);
                }

                if (read == 0 || (cut && buffer.Length >= limit))
                {
                    PooledBuffer result = buffer;
                    buffer = null;
                    return result;
                }
            }
        }
        finally
        {
            buffer?.Dispose();
        }
    }

    private static AwsServiceException TooLarge(SqsOperation operation, int limit) =>
        AwsServiceException.Local(AwsErrorKind.Invalid, operation.Name, "ResponseTooLarge", $"the answer is longer than {limit} bytes");
}

/// <summary>Limits and deadlines of the SQS client; the source sets those that users may configure.</summary>
internal sealed record SqsWireOptions
{
    /// <summary>Compares each body with the MD5 the service sent and flags a difference; costs one MD5 of the body.</summary>
    public bool VerifyMd5 { get; init; }

    /// <summary>
    /// The maximum size of a response; a larger one is refused. Fits 10 messages of 1 MiB, written by the service with up to 3 bytes for 1
    /// (a two-byte character as \uXXXX; quotes only double), plus handles and attributes. A lower limit would refuse full batches of large
    /// JSON messages forever, and each refusal raises their receive counts.
    /// </summary>
    public int MaxResponseBytes { get; init; } = 32 * 1024 * 1024;

    /// <summary>The total time of a call, including retries with a new signature.</summary>
    public TimeSpan CallTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>The time that a receive call may take beyond its long poll.</summary>
    public TimeSpan ReceiveGrace { get; init; } = TimeSpan.FromSeconds(5);
}
