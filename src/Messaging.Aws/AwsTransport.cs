using System.Net;
using System.Runtime.CompilerServices;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Frames;

namespace Quayside.Messaging.Aws;

/// <summary>
/// Makes the calls of one service: finds the keys, signs, sends, counts, and reads a refusal. Repeats a call only as
/// <see cref="SignatureRecovery"/> does; backing off and time limits are the caller's task. Threads: any.
/// </summary>
internal sealed class AwsTransport : IDisposable
{
    /// <summary>An error's text is a few hundred bytes; the rest of a proxy's long page is of no use.</summary>
    public const int MaxErrorBytes = 64 * 1024;

    // A response without a length: room for a few small messages before the first growth.
    private const int FirstRead = 16 * 1024;

    // An announced length reserves no more than this before bytes arrive.
    private const int MaxFirstRent = 1024 * 1024;

    private readonly SigV4Signer _signer;
    private readonly AwsCredentialSource _credentials;
    private readonly HttpMessageInvoker _http;
    private readonly BufferPool _buffers;

    /// <summary>Owns <paramref name="credentials"/> and <paramref name="handler"/>, which must use HTTP/1.1 (see <see cref="BorrowedContent"/>).</summary>
    public AwsTransport(SigV4Signer signer, AwsCredentialSource credentials, HttpMessageHandler handler, BufferPool buffers, ApiCalls? calls)
    {
        _signer = signer;
        _credentials = credentials;
        _http = new HttpMessageInvoker(handler, disposeHandler: true);
        _buffers = buffers;
        Calls = calls ?? new ApiCalls();
    }

    /// <summary>Counts the requests.</summary>
    public ApiCalls Calls { get; }

    /// <summary>Told of every refusal, also of one that a repetition cures.</summary>
    public Action<ApiOperation, AwsError>? Refused { get; init; }

    /// <summary>Makes one call.</summary>
    /// <param name="operation">The operation as it is counted.</param>
    /// <param name="request">Unsigned or signed before; a body is a <see cref="BorrowedContent"/>.</param>
    /// <param name="cancellationToken">Ends the call.</param>
    /// <returns>Either the 200 answer with its body unread, which the caller disposes, or the service's refusal.</returns>
    /// <exception cref="AwsServiceException">There are no credentials.</exception>
    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    public async ValueTask<(HttpResponseMessage? Response, AwsError? Error)> CallAsync(
        ApiOperation operation, HttpRequestMessage request, CancellationToken cancellationToken)
    {
        SignatureRecovery? recovery = null;
        while (true)
        {
            SigningCredentials credentials = await _credentials.GetAsync(cancellationToken);
            DateTimeOffset signedAt = _signer.Sign(request, credentials);
            HttpResponseMessage response;
            try
            {
                response = await _http.SendAsync(request, cancellationToken);
            }
            catch (Exception e)
            {
                Calls.Failed(operation, e);
                throw;
            }

            Calls.Sending(operation);
            if (response.StatusCode == HttpStatusCode.OK)
            {
                return (response, null);
            }

            AwsError error = await ReadErrorAsync(response, request.Method, signedAt, credentials, cancellationToken);
            Refused?.Invoke(operation, error);
            recovery ??= new SignatureRecovery(_credentials, _signer.Clock);
            if (!await recovery.TryAsync(error.Kind, error.ServerTime, credentials, cancellationToken))
            {
                return (null, error);
            }
        }
    }

    /// <summary>Reads a body to its end, or just past the limit; the rest stays unread.</summary>
    public async ValueTask<PooledBuffer> ReadAsync(HttpResponseMessage response, int limit, CancellationToken cancellationToken)
    {
        // One byte more than announced, for the read that finds the end.
        PooledBuffer? buffer = _buffers.Rent((int)Math.Min(response.Content.Headers.ContentLength + 1 ?? FirstRead, Math.Min(limit, MaxFirstRent)));
        try
        {
            Stream stream = await response.Content.ReadAsStreamAsync(cancellationToken);
            int read;
            do
            {
                read = await stream.ReadAsync(buffer.GetMemory(), cancellationToken);
                buffer.Advance(read);
            }
            while (read != 0 && buffer.Length <= limit);
            PooledBuffer result = buffer;
            buffer = null;
            return result;
        }
        finally
        {
            buffer?.Dispose();
        }
    }

    public void Dispose()
    {
        _http.Dispose();
        _credentials.Dispose();
    }

    private async ValueTask<AwsError> ReadErrorAsync(
        HttpResponseMessage response, HttpMethod method, DateTimeOffset signedAt, SigningCredentials credentials, CancellationToken cancellationToken)
    {
        using HttpResponseMessage refused = response;
        using PooledBuffer body = await ReadAsync(response, MaxErrorBytes, cancellationToken);
        AwsError error = AwsError.Read(response, body.WrittenSpan);
        TimeSpan skew = (error.ServerTime - signedAt)?.Duration() ?? default;
        return error with
        {
            Kind = method == HttpMethod.Head
                ? AwsError.KindOfHead(error.Status, skew, isSession: credentials.SessionToken is not null)
                : AwsError.KindOf(error.Code, error.Message, skew),
        };
    }
}
