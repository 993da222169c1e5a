using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.CloudFront.Documents;
using Quayside.Messaging.CloudFront.Events;
using Quayside.Messaging.CloudFront.Objects;
using Quayside.Messaging.CloudFront.Rows;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Frames;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.CloudFront;

/// <summary>
/// Indexes the objects of an event one after the other. It completes the message only when every row of every object is accounted for:
/// indexed now, indexed before, or dead-lettered on its own. An object that can never be read makes the message a dead letter, after
/// the other objects were indexed. Threads: any number of concurrent messages.
/// </summary>
internal sealed partial class IndexTerminator : ITerminator<CloudFrontContext>
{
    public const string MissingReason = "object-missing";
    public const string ChangedReason = "object-changed";
    public const string ArchivedReason = "object-archived";
    public const string RejectedReason = "sink-rejected";

    // S3 usually begins to answer within a tenth of a second; after this time a retry is better than waiting.
    private static readonly TimeSpan OpenTimeout = TimeSpan.FromSeconds(10);

    private readonly ILogObjects _objects;
    private readonly LogIndexer _indexer;
    private readonly IDocumentSink _sink;
    private readonly string _sinkName;
    private readonly CircuitBreaker _breaker;
    private readonly LogDeadLetterSettings _deadLetters;
    private readonly TimeSpan _objectTimeout;
    private readonly int _missingDeliveries;
    private readonly ILogger _logger;

    public IndexTerminator(
        ILogObjects objects, LogIndexer indexer, IDocumentSink sink, string sinkName, CircuitBreaker breaker, LogDeadLetterSettings deadLetters,
        TimeSpan objectTimeout, int missingDeliveries, ILogger logger)
    {
        _objects = objects;
        _indexer = indexer;
        _sink = sink;
        _sinkName = sinkName;
        _breaker = breaker;
        _deadLetters = deadLetters;
        _objectTimeout = objectTimeout;
        _missingDeliveries = missingDeliveries;
        _logger = logger;
    }

    // A request always suspends, so there is no synchronous path.
    public ValueTask InvokeAsync(CloudFrontContext context) => IndexAllAsync(context);

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private async ValueTask IndexAllAsync(CloudFrontContext context)
    {
        while (context.Done < context.Objects.Length)
        {
            LogObject log = context.Objects[context.Done];
            Settlement settlement = await IndexAsync(log, context);
            if (settlement.Fault != SettlementFault.None || !settlement.IsDecided)
            {
                context.Settlement = settlement;
                return;
            }

            if (settlement is { Kind: SettlementKind.DeadLetter, Reason: { } reason })
            {
                _deadLetters.Metrics.LogPoisoned(reason);
                LogPoison(_deadLetters.Route, UntrustedText.Shorten(log.Location), reason, settlement.Description!);
                context.PoisonReason ??= reason;
                context.PoisonDescription ??= $"{UntrustedText.Shorten(log.Location)}: {settlement.Description}";
            }

            context.Done++;
        }

        context.Settlement = context.PoisonReason is { } poison
            ? Settlement.DeadLetter(poison, context.PoisonDescription!)
            : Settlement.Complete;
    }

    /// <returns>Complete when the object was indexed, a dead letter when it can never be indexed, and a fault when it cannot be indexed now.</returns>
    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    private async ValueTask<Settlement> IndexAsync(LogObject log, CloudFrontContext context)
    {
        // One time limit for all work on the object, distinguishable from the message's own cancellation.
        using CancellationTokenSource limit = new(_objectTimeout, _deadLetters.Time);
        using CancellationTokenSource attempt = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, context.CancellationToken);
        IDocumentWriter? writing = null;
        LogDeadLetters? badRows = null;
        try
        {
            using S3ObjectContent opened = await _objects.OpenAsync(log, OpenTimeout, attempt.Token);
            if (opened.Fault.Kind != AwsErrorKind.None)
            {
                return Judge(opened.Fault, log, context.DeliveryCount);
            }

            DocumentId id = new(log.Bucket, log.Key, opened.Version);
            badRows = new LogDeadLetters(_deadLetters, log, opened.Version, id, context.DeliveryCount);
            await using IDocumentWriter writer =
                writing = _sink.Begin(badRows) ?? throw new PartDefectException($"the sink {_sinkName}", "returned null from Begin: it must return a writer.");
            LogOutcome outcome = await _indexer.IndexAsync(opened.Content, opened.Length, id, writer, badRows, attempt.Token);
            return outcome.Fault is null
                ? Judge(outcome, log, badRows.FirstRejection, context.CancellationToken, limit.IsCancellationRequested)
                : Settlement.DeadLetter(outcome.Fault, Describe(outcome, await writer.EndAsync(attempt.Token)));
        }
        catch (DeadLetterException poison)
        {
            // Too many of its documents were rejected; the other objects of the event are still indexed.
            return Settlement.DeadLetter(poison.Reason, poison.Message);
        }
        catch (OperationCanceledException) when (attempt.Token.IsCancellationRequested && !context.CancellationToken.IsCancellationRequested)
        {
            string detail = $"Reading and indexing {UntrustedText.Shorten(log.Location)} took longer than "
                + $"{CloudFrontOptions.Section}:{nameof(CloudFrontOptions.ObjectTimeout)}.";

            // With no document answered, the sink or S3 hangs. Otherwise the log may be too large for the limit, which is its own fault.
            bool isOutage = writing is not { Answered: > 0 };
            if (isOutage)
            {
                _breaker.Failed(detail);
            }

            return Settlement.Transient(detail, retryInProcess: false, mayHold: isOutage);
        }
        catch (IOException exception) when (badRows is null || badRows.Failure == exception)
        {
            // Of the dead letters, for what S3 does is a value.
            return Settlement.Transient(UntrustedText.Shorten(exception.Message), retryInProcess: false);
        }
        catch (Exception exception) when (badRows is not null && !context.CancellationToken.IsCancellationRequested)
        {
            return _breaker.SinkThrew(_sinkName, exception);
        }
    }

    private Settlement Judge(in S3Fault fault, LogObject log, int deliveryCount)
    {
        string detail = $"{fault.Describe(S3Operations.Get)}.";
        string encoding = fault.Kind != AwsErrorKind.Missing || log.EncodedKey is null
            ? string.Empty
            : $" The event's key is \"{UntrustedText.Shorten(log.EncodedKey)}\", which the worker decodes as S3 encodes keys. If that text is the object's "
                + "name, the store does not URL-encode the keys of its events, as Ceph does not: set "
                + $"{CloudFrontOptions.Section}:{nameof(CloudFrontOptions.KeyEncoding)} to None.";
        switch (fault.Kind)
        {
            case AwsErrorKind.Missing when deliveryCount >= _missingDeliveries:
                return Settlement.DeadLetter(MissingReason, $"The object does not exist, still on delivery {deliveryCount}. {detail}{encoding}");
            case AwsErrorKind.Missing:
                // Not a failure of S3, so the breaker is not told. The message's deliveries limit how often the object is looked for.
                return Settlement.Transient($"{UntrustedText.Shorten(log.Location)} does not exist. {detail}{encoding}", mayHold: false);
            case AwsErrorKind.Exists:
                return Settlement.DeadLetter(ChangedReason, $"The object was replaced after this event; the replacement has an event of its own. {detail}");
            case AwsErrorKind.Rejected:
                return Settlement.DeadLetter(MissingReason, detail);
            case AwsErrorKind.Refused when fault.Code == "InvalidArgument" && log.VersionId is not null:
                // The version id comes from the event, so only this event is at fault: other objects can still be read.
                return Settlement.DeadLetter(MissingReason, $"S3 does not accept the event's version id {UntrustedText.Shorten(log.VersionId)}. {detail}");
            case AwsErrorKind.Refused when fault.Code == "InvalidObjectState":
                return Settlement.DeadLetter(ArchivedReason, $"The object is in an archive storage class and must be restored first. {detail}");
            case AwsErrorKind.Transient or AwsErrorKind.Throttled or AwsErrorKind.Undecided:
                _breaker.Failed(detail);
                return Settlement.Transient($"{UntrustedText.Shorten(log.Location)} could not be read. {detail}", fault.RetryAfter);
            default:
                string advice = $"{detail} Grant s3:GetObject (s3:GetObjectVersion for versions, kms:Decrypt on a KMS key) and s3:ListBucket on the bucket "
                    + $"'{log.Bucket}', and check its region and credentials.";
                _breaker.Refused(advice);
                return Settlement.Refused(advice);
        }
    }

    private static string Describe(in LogOutcome outcome, in DocumentsResult documents) => outcome.Rows == 0
        ? outcome.Detail
        : $"{outcome.Detail} Of {outcome.Rows} rows read, {documents.Created} were indexed, {documents.Existing} had been indexed before, {documents.Rejected} "
            + $"were rejected and {outcome.BadRows} could not be read; the others were not sent.";

    private static string Describe(in LogOutcome outcome, long rejected, string? firstRejection)
    {
        string refused = rejected == 0 ? string.Empty : $" The sink rejected {rejected} documents, the first with {firstRejection}.";
        string unreadable = outcome.BadRows == 0 ? string.Empty : $" {outcome.BadRows} could not be read. {outcome.Detail}";
        return $"None of the log's {outcome.Rows} rows became a document.{refused}{unreadable}";
    }

    private Settlement Judge(in LogOutcome outcome, LogObject log, string? firstRejection, CancellationToken cancellationToken, bool timedOut)
    {
        if (outcome.SourceFailure is { } failure)
        {
            cancellationToken.ThrowIfCancellationRequested();
            string detail = $"{S3Fault.Of(failure, timedOut).Describe(S3Operations.Get)}.";
            _breaker.Failed(detail);
            return Settlement.Transient($"Reading {UntrustedText.Shorten(log.Location)} failed after {outcome.Rows} rows. {detail}");
        }

        DocumentsResult documents = outcome.Documents!.Value;
        switch (documents.Status)
        {
            case SinkStatus.Stored or SinkStatus.AlreadyStored when documents.Total != outcome.Rows - outcome.BadRows:
                string defect =
                    $"The sink {_sinkName} accounted for {documents.Total} of {outcome.Rows - outcome.BadRows} documents, which is a defect of the sink.";
                _breaker.Failed(defect);
                return Settlement.Transient($"{UntrustedText.Shorten(log.Location)} is not completed. {defect}", retryInProcess: false);
            case SinkStatus.Stored or SinkStatus.AlreadyStored:
                _breaker.Succeeded();
                _deadLetters.Metrics.LogRead(outcome);
                if (outcome.Rows > 0 && documents.Created + documents.Existing == 0)
                {
                    return Settlement.DeadLetter(LogFault.NoDocuments, Describe(outcome, documents.Rejected, firstRejection));
                }

                _deadLetters.Metrics.LogIndexed();
                if (documents.Rejected + outcome.BadRows is > 0 and var aside)
                {
                    LogSetAside(_deadLetters.Route, aside, UntrustedText.Shorten(log.Location));
                }

                LogIndexed(
                    _deadLetters.Route, UntrustedText.Shorten(log.Location), outcome.Rows, documents.Created, documents.Existing, documents.Rejected,
                    outcome.BadRows);
                return Settlement.Complete;
            case SinkStatus.Transient:
                // The sink has already retried. Waiting in the queue is better than waiting in a slot.
                _breaker.Failed(documents.Detail ?? $"The sink {_sinkName} failed.");
                return Settlement.Transient(documents.Detail ?? $"The sink {_sinkName} failed.", documents.RetryAfter, retryInProcess: false);
            case SinkStatus.Refused:
                _breaker.Refused(documents.Detail ?? $"The sink {_sinkName} denies the worker access.");
                return Settlement.Refused(documents.Detail ?? $"The sink {_sinkName} denies the worker access.");
            case SinkStatus.Rejected or SinkStatus.Collision:
                _breaker.Succeeded();
                return Settlement.DeadLetter(RejectedReason, documents.Detail ?? $"The sink {_sinkName} rejects the documents.");
            default:
                string detail = documents.Detail is null ? string.Empty : $" ({documents.Detail})";
                string undecided = $"returned the status {documents.Status}, which decides nothing{detail}: "
                    + "CompleteAsync must return Stored only when every document is accounted for, and otherwise what failed.";
                return _breaker.SinkThrew(_sinkName, new PartDefectException($"the sink {_sinkName}", undecided));
        }
    }

    [LoggerMessage(
        6000, LogLevel.Debug,
        "Route {Route}: indexed {Log}: {Rows} rows, {Created} documents created, {Existing} existing, {Rejected} rejected, {BadRows} unreadable rows")]
    private partial void LogIndexed(string route, string log, long rows, long created, long existing, long rejected, int badRows);

    [LoggerMessage(6002, LogLevel.Warning, "Route {Route}: {Count} row(s) of {Log} could not be indexed; each was dead-lettered on its own")]
    private partial void LogSetAside(string route, long count, string log);

    [LoggerMessage(6001, LogLevel.Warning, "Route {Route}: {Log} cannot be indexed ({Reason}): {Description}")]
    private partial void LogPoison(string route, string log, string reason, string description);
}
