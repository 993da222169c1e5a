using System.Net;
using System.Net.Http.Headers;
using System.Runtime.CompilerServices;
using Messaging.Configuration;
using Messaging.Costs;
using Messaging.Sinks;
using Messaging.Telemetry;
using Microsoft.Extensions.Logging;
using Pipeline.Buffers;
using Pipeline.Frames;

namespace Messaging.Aws.S3.Sink.Direct;

/// <summary>
/// Requests signed by the worker itself and sent over pooled HTTP/1.1 connections. A PUT with a key of 84 bytes allocates about 2.6 KB,
/// most of it in HttpClient's connection and response objects. Threads: any number concurrently.
/// </summary>
internal sealed class DirectRequests : IS3Requests
{
    private readonly HttpMessageInvoker _http;
    private readonly BucketAddress _address;
    private readonly AwsCredentialSource _credentials;
    private readonly PutSigner _signer;
    private readonly AnswerReader _answers;
    private readonly TimeProvider _time;
    private readonly BoundedPool<PutRequest> _puts;
    private readonly ApiCalls _calls;

    /// <summary>
    /// Owns <paramref name="credentials"/> and <paramref name="handler"/>, which must use HTTP/1.1 (see <see cref="BorrowedContent"/>). Keeps
    /// <paramref name="retained"/> requests for reuse: as many as are in flight.
    /// </summary>
    public DirectRequests(
        S3SinkOptions options, BucketAddress address, string region, AwsCredentialSource credentials, HttpMessageHandler handler, SinkServices services, BufferPool buffers, int retained)
    {
        AwsClock clock = new(services.Time);
        _address = address;
        _credentials = credentials;
        _http = new HttpMessageInvoker(handler, disposeHandler: true);
        _signer = new PutSigner(options, options.ContentType ?? services.ContentType, address, region, clock);
        _answers = new AnswerReader(clock, buffers, services.Loggers.CreateLogger<DirectRequests>());
        _time = services.Time;
        _puts = new BoundedPool<PutRequest>(retained);
        _calls = services.Calls ?? new ApiCalls();
    }

    /// <summary>Creates a client with its own connections; opens none yet.</summary>
    /// <exception cref="StartupException">See <see cref="BucketAddress.Create"/>.</exception>
    public static DirectRequests Create(S3SinkOptions options, S3Endpoint endpoint, AwsCredentialSource credentials, SinkServices services, int maxConnections)
    {
        // Environment or profile, as the SDK reads them: ignoring them would call another kind of endpoint than configured.
        BucketAddress address = BucketAddress.Create(options.Bucket!, endpoint, AwsEndpoint.FindVariant());
        SocketsHttpHandler handler = AwsHttpHandler.Create(maxConnections);
        handler.ConnectTimeout = options.ConnectTimeout;

        // Above this, a new connection is cheaper than reading the rest of an abandoned answer.
        handler.MaxResponseDrainSize = AnswerReader.MaxAnswerBytes;

        // Bounds the idle memory to 4,096 requests of about 1 KB.
        return new DirectRequests(options, address, endpoint.Region, credentials, handler, services, BufferPool.Shared, Math.Clamp(maxConnections, 1, 4_096));
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    public async ValueTask<S3Fault> PutAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken cancellationToken)
    {
        PutRequest request = _puts.TryTake(out PutRequest? pooled) ? pooled : _signer.CreatePut(_time);
        request.Open(body, limit, cancellationToken);
        bool sending = false;
        bool answered = false;
        try
        {
            SigningCredentials credentials = await _credentials.GetAsync(request.Token);
            DateTimeOffset signedAt = _signer.Sign(request, key.Span, body.Span, credentials);
            sending = true;
            using HttpResponseMessage response = await _http.SendAsync(request.Message, request.Token);
            sending = false;
            _calls.Sending(S3Calls.Put);
            S3Fault fault = response.StatusCode == HttpStatusCode.OK
                ? await ConfirmAsync(response, request.Token)
                : await _answers.ReadFaultAsync(response, S3Operations.Put, signedAt, credentials, request.Token);
            answered = true;
            return fault;
        }
        catch (Exception exception)
        {
            if (sending)
            {
                _calls.Failed(S3Calls.Put, exception);
            }

            cancellationToken.ThrowIfCancellationRequested();
            return S3Fault.Of(exception, request.Token.IsCancellationRequested);
        }
        finally
        {
            Release(request, answered);
        }
    }

    public async ValueTask<(S3Fault Fault, string Operation, bool Same)> CompareAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken cancellationToken)
    {
        string operation = S3Operations.Head;
        using S3Attempt attempt = new(limit, _time, cancellationToken);
        try
        {
            (S3Fault fault, bool? same) = await CompareHeadAsync(key, body, attempt.Token);
            if (fault.Kind == S3FaultKind.None && same is null)
            {
                operation = S3Operations.Get;
                (fault, same) = await CompareBytesAsync(key, body, attempt.Token);
            }

            return (S3Fault.OfObject(fault), operation, same == true);
        }
        catch (Exception exception)
        {
            return (attempt.Classify(exception), operation, false);
        }
    }

    public async ValueTask<S3Fault> ListAsync(TimeSpan limit, CancellationToken cancellationToken)
    {
        using S3Attempt attempt = new(limit, _time, cancellationToken);
        try
        {
            using HttpRequestMessage request = new(HttpMethod.Get, _address.OfBucket("list-type=2&max-keys=1"));
            (HttpResponseMessage response, S3Fault fault) = await SendAsync(request, S3Operations.List, attempt.Token);
            using (response)
            {
                return fault.Kind == S3FaultKind.None && !await _answers.IsListingAsync(response, attempt.Token) ? S3Fault.NotS3((int)response.StatusCode) : fault;
            }
        }
        catch (Exception exception) when (exception is not AwsServiceException)
        {
            return attempt.Classify(exception);
        }
    }

    public async ValueTask<bool> RefreshCredentialsAsync(S3Fault fault, TimeSpan limit, CancellationToken cancellationToken)
    {
        using S3Attempt attempt = new(limit, _time, cancellationToken);
        try
        {
            return fault.Expired is { } expired && await _credentials.RefreshAsync(expired, attempt.Token);
        }
        catch (Exception exception) when (exception is AwsServiceException or OperationCanceledException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            return false;
        }
    }

    public void Dispose()
    {
        _http.Dispose();
        _credentials.Dispose();
        while (_puts.TryTake(out PutRequest? request))
        {
            request.Dispose();
        }
    }

    // S3 always sends an ETag. A success without one is probably a proxy's.
    private static string? ETagOf(HttpResponseMessage response) =>
        response.Headers.NonValidated.TryGetValues("ETag", out HeaderStringValues values) && values.ToString() is { Length: > 0 } etag ? etag : null;

    // An answer that ends with its connection may be cut.
    private static bool IsDelimited(HttpResponseMessage response) =>
        response.Content.Headers.ContentLength is not null || response.Headers.TransferEncodingChunked == true;

    private static S3Fault Success(HttpResponseMessage response) => MessageSpans.IsListening
        ? S3Fault.Success((int)response.StatusCode, response.Headers.NonValidated.TryGetValues("x-amz-request-id", out HeaderStringValues id) ? id.ToString() : null)
        : S3Fault.None;

    /// <summary>Accepts a success only when it has an ETag, no body and a defined end.</summary>
    private ValueTask<S3Fault> ConfirmAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        bool named = ETagOf(response) is not null;
        return named && response.Content.Headers.NonValidated.TryGetValues("Content-Length", out HeaderStringValues length) && length.ToString() == "0"
            ? new ValueTask<S3Fault>(Success(response))
            : ConfirmReadingAsync(response, named, cancellationToken);
    }

    private async ValueTask<S3Fault> ConfirmReadingAsync(HttpResponseMessage response, bool named, CancellationToken cancellationToken)
    {
        bool delimited = IsDelimited(response);
        return await _answers.IsEmptyAsync(response, cancellationToken) && named && delimited ? Success(response) : S3Fault.NotS3((int)response.StatusCode);
    }

    /// <returns>The fault; without one, whether the bytes are the same, or null when HEAD cannot tell.</returns>
    private async ValueTask<(S3Fault Fault, bool? Same)> CompareHeadAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        using HttpRequestMessage request = new(HttpMethod.Head, _address.Of(key.Span));
        (HttpResponseMessage response, S3Fault fault) = await SendAsync(request, S3Operations.Head, cancellationToken);
        using (response)
        {
            if (fault.Kind != S3FaultKind.None)
            {
                return (fault, null);
            }

            string? etag = ETagOf(response);
            return response.Content.Headers.ContentLength is not { } length || etag is null ? (S3Fault.NotS3((int)response.StatusCode), null)
                : length != body.Length ? (fault, false)
                : ObjectComparison.IsMd5Of(etag, body.Span) ? (fault, true)
                : (fault, null);
        }
    }

    private async ValueTask<(S3Fault Fault, bool? Same)> CompareBytesAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        using HttpRequestMessage request = new(HttpMethod.Get, _address.Of(key.Span));
        (HttpResponseMessage response, S3Fault fault) = await SendAsync(request, S3Operations.Get, cancellationToken);
        using (response)
        {
            if (fault.Kind != S3FaultKind.None)
            {
                return (fault, null);
            }

            // HEAD reported the body's length: an answer that is cut, or of another length, must not count as a collision.
            if (ETagOf(response) is null || !IsDelimited(response) || (response.Content.Headers.ContentLength is { } length && length != body.Length))
            {
                return (S3Fault.NotS3((int)response.StatusCode), null);
            }

            Stream stream = await response.Content.ReadAsStreamAsync(cancellationToken);
            return await ObjectComparison.HasBytesAsync(stream, body, cancellationToken) is { } same ? (fault, same) : (S3Fault.NotS3((int)response.StatusCode), null);
        }
    }

    /// <summary>Sends a request without a body.</summary>
    /// <returns>The answer, which the caller disposes; unread when there is no fault.</returns>
    private async ValueTask<(HttpResponseMessage Response, S3Fault Fault)> SendAsync(HttpRequestMessage request, string operation, CancellationToken cancellationToken)
    {
        request.Version = HttpVersion.Version11;
        request.VersionPolicy = HttpVersionPolicy.RequestVersionExact;
        SigningCredentials credentials = await _credentials.GetAsync(cancellationToken);
        DateTimeOffset signedAt = _signer.Sign(request, credentials);
        HttpResponseMessage response;
        try
        {
            response = await _http.SendAsync(request, cancellationToken);
        }
        catch (Exception exception)
        {
            _calls.Failed(S3Calls.Named(operation), exception);
            throw;
        }

        _calls.Sending(S3Calls.Named(operation));
        try
        {
            return response.StatusCode == HttpStatusCode.OK
                ? (response, S3Fault.None)
                : (response, await _answers.ReadFaultAsync(response, operation, signedAt, credentials, cancellationToken));
        }
        catch
        {
            response.Dispose();
            throw;
        }
    }

    private void Release(PutRequest request, bool answered)
    {
        request.Close();

        // After a failure the message may still be in use, so it is not pooled.
        if (answered)
        {
            _puts.Return(request);
        }
    }
}
