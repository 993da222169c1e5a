using Messaging.Telemetry;
using Microsoft.Extensions.Logging;
using Pipeline.Buffers;

namespace Messaging.Aws.S3.Sink.Direct;

/// <summary>Reads answers up to a bound, and classifies failures. Threads: any.</summary>
internal sealed class AnswerReader(AwsClock clock, BufferPool buffers, ILogger logger)
{
    /// <summary>S3's answers to the sink's requests are below 4 KiB; the rest of a proxy's long page is of no use.</summary>
    public const int MaxAnswerBytes = 64 * 1024;

    private const int FirstRead = 4 * 1024;

    /// <summary>True for an answer without a body; otherwise reads it, within the bound, so that the connection can be reused.</summary>
    public async ValueTask<bool> IsEmptyAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        PooledBuffer body = await ReadAsync(response, cancellationToken);
        bool empty = body.Length == 0;
        body.Dispose();
        return empty;
    }

    /// <summary>True for a listing of a bucket, even an empty one; false for a proxy's page.</summary>
    public async ValueTask<bool> IsListingAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        PooledBuffer body = await ReadAsync(response, cancellationToken);
        bool listing = body.WrittenSpan.IndexOf("<ListBucketResult"u8) >= 0;
        body.Dispose();
        return listing;
    }

    /// <summary>Reads and classifies a failure; corrects the clock if that was the cause.</summary>
    public async ValueTask<S3Fault> ReadFaultAsync(
        HttpResponseMessage response, string operation, DateTimeOffset signedAt, SigningCredentials credentials, CancellationToken cancellationToken)
    {
        ErrorDocument document;
        PooledBuffer body = await ReadAsync(response, cancellationToken);
        try
        {
            document = ErrorDocument.Read(body.WrittenSpan.ToArray());
        }
        finally
        {
            body.Dispose();
        }

        int status = (int)response.StatusCode;
        S3Fault fault = S3Fault.OfAnswer(
            status,
            document.Code,
            document.RequestId ?? Header(response, "x-amz-request-id"),
            Header(response, "Retry-After"),
            Header(response, "x-amz-bucket-region") ?? document.Region);
        if (logger.IsEnabled(LogLevel.Debug))
        {
            logger.LogErrorAnswer(operation, status, fault.Code, fault.RequestId, UntrustedText.Shorten(document.Message));
        }

        if (response.Headers.Date is { } serverTime && IsAboutTheClock(fault, document, operation, (serverTime - signedAt).Duration()))
        {
            clock.Correct(serverTime);
            return fault with { Kind = S3FaultKind.ClockSkew };
        }

        if (operation == S3Operations.Head)
        {
            fault = S3Fault.OfHead(fault, isSession: credentials.SessionToken is not null);
        }

        return fault.Kind == S3FaultKind.ExpiredCredentials ? fault with { Expired = credentials } : fault;
    }

    // A refused HEAD does not state its cause: then the difference between the clocks decides.
    private static bool IsAboutTheClock(in S3Fault fault, in ErrorDocument document, string operation, TimeSpan skew) =>
        AwsErrorClassifier.Classify(fault.Status, fault.Code, document.Message ?? string.Empty, skew) == AwsErrorKind.ClockSkew
        || (operation == S3Operations.Head && fault.Status == 403
            && AwsErrorClassifier.Classify(fault.Status, "SignatureDoesNotMatch", string.Empty, skew) == AwsErrorKind.ClockSkew);

    /// <summary>Reads to the end, or just past the bound; the rest stays unread.</summary>
    private async ValueTask<PooledBuffer> ReadAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        PooledBuffer? body = buffers.Rent(FirstRead);
        try
        {
            Stream stream = await response.Content.ReadAsStreamAsync(cancellationToken);
            while (body.Length <= MaxAnswerBytes)
            {
                int read = await stream.ReadAsync(body.GetMemory(), cancellationToken);
                if (read == 0)
                {
                    break;
                }

                body.Advance(read);
            }

            PooledBuffer result = body;
            body = null;
            return result;
        }
        finally
        {
            body?.Dispose();
        }
    }

    private static string? Header(HttpResponseMessage response, string name) =>
        response.Headers.NonValidated.TryGetValues(name, out System.Net.Http.Headers.HeaderStringValues values) ? values.ToString() : null;
}
