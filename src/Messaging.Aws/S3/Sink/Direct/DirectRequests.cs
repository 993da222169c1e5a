using System.Net;
using System.Net.Http.Headers;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Messaging.Objects;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Frames;

namespace Quayside.Messaging.Aws.S3.Sink.Direct;

/// <summary>
/// Requests signed by the worker itself and sent over pooled HTTP/1.1 connections. A PUT with a key of 84 bytes allocates about 2.6 KB,
/// most of it in HttpClient's connection and response objects. Threads: any number concurrently.
/// </summary>
internal sealed class DirectRequests : IS3Requests
{
    private readonly BucketAddress _address;
    private readonly PutSigner _signer;
    private readonly AwsTransport _transport;
    private readonly TimeProvider _time;
    private readonly BoundedPool<PutRequest> _puts;

    /// <summary>
    /// Owns <paramref name="credentials"/> and <paramref name="handler"/>, which must use HTTP/1.1 (see <see cref="BorrowedContent"/>). Keeps
    /// <paramref name="retained"/> requests for reuse: as many as are in flight.
    /// </summary>
    public DirectRequests(
        S3SinkOptions options, BucketAddress address, string region, AwsCredentialSource credentials, HttpMessageHandler handler, SinkServices services,
        BufferPool buffers, int retained)
    {
        ILogger logger = services.Loggers.CreateLogger<DirectRequests>();
        _address = address;
        _signer = new PutSigner(options, options.ContentType ?? services.ContentType, address, region, new AwsClock(services.Time));
        _transport =
            new AwsTransport(_signer, credentials, handler, buffers, services.Calls) { Refused = (operation, error) => Log(logger, operation.Name, error) };
        _time = services.Time;
        _puts = new BoundedPool<PutRequest>(retained);
    }

    /// <summary>Creates a client with its own connections; opens none yet.</summary>
    /// <exception cref="StartupException">See <see cref="BucketAddress.Create"/>.</exception>
    public static DirectRequests Create(S3SinkOptions options, S3Endpoint endpoint, AwsCredentialSource credentials, SinkServices services, int maxConnections)
    {
        BucketAddress address = BucketAddress.Create(options.Bucket!, endpoint);
        SocketsHttpHandler handler = AwsHttpHandler.Create(maxConnections, endpoint.Custom);
        handler.ConnectTimeout = options.ConnectTimeout;

        // Above this, a new connection is cheaper than reading the rest of an abandoned answer.
        handler.MaxResponseDrainSize = AwsTransport.MaxErrorBytes;

        // Bounds the idle memory to 4,096 requests of about 1 KB.
        return new DirectRequests(options, address, endpoint.Region, credentials, handler, services, BufferPool.Shared, Math.Clamp(maxConnections, 1, 4_096));
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    public async ValueTask<S3Fault> PutAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, ObjectProperties? properties, TimeSpan limit, CancellationToken cancellationToken)
    {
        PutRequest request = properties is not null ? _signer.CreateOwnPut(_time, properties)
            : _puts.TryTake(out PutRequest? pooled) ? pooled
            : _signer.CreatePut(_time);
        request.Open(key, body, limit, cancellationToken);
        bool answered = false;
        try
        {
            (HttpResponseMessage? stored, AwsError? error) = await _transport.CallAsync(S3Calls.Put, request, request.Token);
            using HttpResponseMessage? response = stored;
            S3Fault fault = response is null ? S3Fault.OfAnswer(error!) : await ConfirmAsync(response, request.Token);
            answered = true;
            return fault;
        }
        catch (Exception exception)
        {
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
            if (fault.Kind == AwsErrorKind.None && same is null)
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
            (HttpResponseMessage? listed, AwsError? error) = await SendAsync(S3Calls.List, request, attempt.Token);
            using HttpResponseMessage? response = listed;
            return response is null ? S3Fault.OfAnswer(error!) : await IsListingAsync(response, attempt.Token) ? S3Fault.None : NotS3(response);
        }
        catch (Exception exception) when (exception is not AwsServiceException)
        {
            return attempt.Classify(exception);
        }
    }

    public void Dispose()
    {
        _transport.Dispose();
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

    private static S3Fault NotS3(HttpResponseMessage response) => S3Fault.NotS3((int)response.StatusCode);

    private static S3Fault Success(HttpResponseMessage response) => MessageSpans.IsListening
        ? S3Fault.Success(
            (int)response.StatusCode, response.Headers.NonValidated.TryGetValues("x-amz-request-id", out HeaderStringValues id) ? id.ToString() : null)
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
        return await IsEmptyAsync(response, cancellationToken) && named && delimited ? Success(response) : NotS3(response);
    }

    /// <returns>The fault; without one, whether the bytes are the same, or null when HEAD cannot tell.</returns>
    private async ValueTask<(S3Fault Fault, bool? Same)> CompareHeadAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        using HttpRequestMessage request = new(HttpMethod.Head, _address.Of(key.Span));
        (HttpResponseMessage? found, AwsError? error) = await SendAsync(S3Calls.Head, request, cancellationToken);
        using HttpResponseMessage? response = found;
        return response is null ? (S3Fault.OfAnswer(error!), null)
            : response.Content.Headers.ContentLength is not { } length || ETagOf(response) is not { } etag ? (NotS3(response), null)
            : length != body.Length ? (S3Fault.None, false)
            : ObjectComparison.IsMd5Of(etag, body.Span) ? (S3Fault.None, true)
            : (S3Fault.None, null);
    }

    private async ValueTask<(S3Fault Fault, bool? Same)> CompareBytesAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        using HttpRequestMessage request = new(HttpMethod.Get, _address.Of(key.Span));
        (HttpResponseMessage? opened, AwsError? error) = await SendAsync(S3Calls.Get, request, cancellationToken);
        using HttpResponseMessage? response = opened;
        if (response is null)
        {
            return (S3Fault.OfAnswer(error!), null);
        }

        // HEAD reported the body's length: an answer that is cut, or of another length, must not count as a collision.
        if (ETagOf(response) is null || !IsDelimited(response) || (response.Content.Headers.ContentLength is { } length && length != body.Length))
        {
            return (NotS3(response), null);
        }

        Stream stream = await response.Content.ReadAsStreamAsync(cancellationToken);
        return await ObjectComparison.HasBytesAsync(stream, body, cancellationToken) is { } same ? (S3Fault.None, same) : (NotS3(response), null);
    }

    // A request without a body.
    private ValueTask<(HttpResponseMessage? Response, AwsError? Error)> SendAsync(
        ApiOperation operation, HttpRequestMessage request, CancellationToken cancellationToken)
    {
        request.Version = HttpVersion.Version11;
        request.VersionPolicy = HttpVersionPolicy.RequestVersionExact;
        return _transport.CallAsync(operation, request, cancellationToken);
    }

    /// <summary>True for an answer without a body; otherwise reads it, within the bound, so that the connection can be reused.</summary>
    private async ValueTask<bool> IsEmptyAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        using PooledBuffer body = await _transport.ReadAsync(response, AwsTransport.MaxErrorBytes, cancellationToken);
        return body.Length == 0;
    }

    /// <summary>True for a listing of a bucket, even an empty one; false for a proxy's page.</summary>
    private async ValueTask<bool> IsListingAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        using PooledBuffer body = await _transport.ReadAsync(response, AwsTransport.MaxErrorBytes, cancellationToken);
        return body.WrittenSpan.IndexOf("<ListBucketResult"u8) >= 0;
    }

    private static void Log(ILogger logger, string operation, AwsError error)
    {
        if (logger.IsEnabled(LogLevel.Debug))
        {
            S3Fault fault = S3Fault.OfAnswer(error);
            logger.LogErrorAnswer(operation, error.Status, fault.Code, fault.RequestId, error.Message);
        }
    }

    private void Release(PutRequest request, bool answered)
    {
        request.Close();

        // After a failure the message may still be in use, so it is not pooled.
        if (answered && !request.IsOwn)
        {
            _puts.Return(request);
        }
    }
}
