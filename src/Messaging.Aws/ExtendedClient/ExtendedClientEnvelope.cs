using System.Runtime.CompilerServices;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Frames;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Aws.ExtendedClient;

/// <summary>
/// A message of the SQS Extended Client, which puts large payloads into S3 and sends a pointer. The content is the payload; a body that is no pointer is its
/// own content, since small payloads are sent as they are. Threads: any number of messages concurrently.
/// </summary>
/// <param name="open">Requests an object within a time limit.</param>
/// <param name="options">The settings, which are valid.</param>
/// <param name="breaker">Receives the failures of S3.</param>
/// <param name="time">The clock of the time limit.</param>
internal sealed class ExtendedClientEnvelope(
    Func<PayloadPointer, TimeSpan, CancellationToken, ValueTask<S3ObjectContent>> open, ExtendedClientOptions options, IBreaker breaker,
    TimeProvider time) : IEnvelope
{
    public const string NotPointerReason = "not-a-payload-pointer";
    public const string BucketReason = "pointer-bucket-not-allowed";
    public const string MissingReason = "pointer-object-missing";
    public const string ArchivedReason = "pointer-object-archived";

    // The clients mark messages with a pointer by an attribute of this name; the second one is that of old versions.
    private static readonly string[] Marks = ["ExtendedPayloadSize", "SQSLargePayloadSize"];

    // A payload may become visible after its pointer; then its message is a dead letter.
    private const int MissingObjectDeliveries = 3;

    private static readonly TimeSpan OpenTimeout = TimeSpan.FromSeconds(10);

    public ValueTask UnwrapAsync(EnvelopeReading message, CancellationToken cancellationToken)
    {
        if (PayloadPointer.TryRead(message.Body.Span, out PayloadPointer? pointer))
        {
            return FetchAsync(message, pointer, cancellationToken);
        }

        if (message.Message.Attributes.FirstOrDefault(attribute => Marks.Contains(attribute.Key)) is { Key: { } mark })
        {
            message.Refuse(
                NotPointerReason,
                $"The message has the attribute {mark}, so its payload should be in S3, but its body is no pointer: neither [class, "
                    + $"{{s3BucketName, s3Key}}] nor {{s3BucketName, s3Key}}.");
            return default;
        }

        message.SetContent(message.Body);
        return default;
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private async ValueTask FetchAsync(EnvelopeReading message, PayloadPointer pointer, CancellationToken cancellationToken)
    {
        string place = UntrustedText.Shorten($"s3://{pointer.Bucket}/{pointer.Key}");
        if (!options.Buckets.Contains(pointer.Bucket, StringComparer.Ordinal))
        {
            message.Refuse(
                BucketReason,
                $"The payload is {place}, and {ExtendedClientOptions.Section}:{nameof(options.Buckets)} does not name this bucket. "
                    + "If its owner may be trusted, add it.");
            return;
        }

        using CancellationTokenSource limit = new(options.ObjectTimeout, time);
        using CancellationTokenSource attempt = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            using S3ObjectContent opened = await open(pointer, OpenTimeout, attempt.Token);
            if (opened.Fault.Kind != AwsErrorKind.None)
            {
                message.Refuse(Judge(opened.Fault, place, pointer.Bucket, message.Message.DeliveryCount));
                return;
            }

            await ReadAsync(opened.Content, message, attempt.Token);
        }
        catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
        {
            // What S3 sends is a stream, which may break, and the time may be up.
            string detail = $"Reading {place} failed. {S3Fault.Of(exception, limit.IsCancellationRequested).Describe(S3Operations.Get)}.";
            breaker.Failed(detail);
            message.Refuse(Settlement.Transient(detail));
        }
    }

    private static async Task ReadAsync(Stream content, EnvelopeReading message, CancellationToken cancellationToken)
    {
        const int Step = 16_384;
        int count;
        while ((count = await content.ReadAsync(message.Buffer.GetMemory(Step), cancellationToken)) > 0)
        {
            message.Buffer.Advance(count);
            if (message.Buffer.Length > message.MaxBytes)
            {
                message.RefuseTooLarge();
                return;
            }
        }

        message.SetContent(message.Buffer.WrittenMemory);
    }

    private Settlement Judge(in S3Fault fault, string place, string bucket, int deliveryCount)
    {
        string detail = $"{fault.Describe(S3Operations.Get)}.";
        switch (fault.Kind)
        {
            case AwsErrorKind.Missing when deliveryCount >= MissingObjectDeliveries:
                return Settlement.DeadLetter(
                    MissingReason,
                    $"The payload {place} does not exist, still on delivery {deliveryCount}. "
                        + $"A lifecycle rule or another receiver may have deleted it. {detail}");
            case AwsErrorKind.Missing:
                // Not a failure of S3, so the breaker is not told.
                return Settlement.Transient($"The payload {place} does not exist. {detail}", mayHold: false);
            case AwsErrorKind.Rejected:
                return Settlement.DeadLetter(MissingReason, $"S3 does not accept the name of the payload {place}. {detail}");
            case AwsErrorKind.Refused when fault.Code == "InvalidObjectState":
                return Settlement.DeadLetter(ArchivedReason, $"The payload {place} is in an archive storage class and must be restored first. {detail}");
            case AwsErrorKind.Transient or AwsErrorKind.Throttled or AwsErrorKind.Undecided:
                breaker.Failed(detail);
                return Settlement.Transient($"The payload {place} could not be read. {detail}", fault.RetryAfter);
            default:
                string advice =
                    $"{detail} Grant s3:GetObject (kms:Decrypt on a KMS key) and s3:ListBucket on the bucket '{bucket}', and check its region and credentials.";
                breaker.Refused(advice);
                return Settlement.Refused(advice);
        }
    }
}
