using Quayside.Messaging.CloudFront.Documents;
using Quayside.Messaging.CloudFront.Events;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.CloudFront;

/// <summary>Writes a dead letter for each row of one log that became no document, and for each document that the sink rejected.</summary>
/// <param name="settings">The settings shared by all logs of the route.</param>
/// <param name="log">The object.</param>
/// <param name="version">The object's version, as in the documents' ids.</param>
/// <param name="id">Ids of its documents.</param>
/// <param name="attempts">Deliveries of the message so far.</param>
internal sealed class LogDeadLetters(
    LogDeadLetterSettings settings, LogObject log, string version, DocumentId id, int attempts) : IBadRows, IDocumentRejections
{
    /// <summary>The reason of a document that the sink will never accept.</summary>
    public const string RejectedReason = "document-rejected";

    /// <summary>The reason of a message with more rejected documents than allowed.</summary>
    public const string TooManyRejectedReason = "documents-rejected";

    /// <summary>The source that these dead letters name: no source delivered a row or a document as a message.</summary>
    public const string Source = "cloudfront";

    private int _rejected;

    /// <summary>For people: why the sink rejected the first document; null when it rejected none.</summary>
    public string? FirstRejection { get; private set; }

    /// <summary>Why a row or document could not be kept; null without a failure.</summary>
    public Exception? Failure { get; private set; }

    public async ValueTask KeepAsync(BadRow row, CancellationToken cancellationToken)
    {
        await WriteAsync(id.TextOf(row.Number), row.Fault, $"{UntrustedText.Shorten(log.Location)}: {row.Describe()}", row.Text, cancellationToken);
        settings.Metrics.BadRow(row.Fault);
    }

    public async ValueTask RejectAsync(DocumentRejection rejection, CancellationToken cancellationToken)
    {
        string why = $"{rejection.Status} {UntrustedText.Shorten(rejection.Type)}: {UntrustedText.Shorten(rejection.Reason)}";
        FirstRejection ??= why;
        if (++_rejected > settings.MaxRejected)
        {
            throw new DeadLetterException(
                TooManyRejectedReason,
                $"The sink rejected more than {settings.MaxRejected} documents of {UntrustedText.Shorten(log.Location)}, the last with {why}.");
        }

        string description = $"The document of row {RowOf(rejection.Id)} of {UntrustedText.Shorten(log.Location)} was rejected: {why}.";
        await WriteAsync(rejection.Id, RejectedReason, description, rejection.Json, cancellationToken);
    }

    private static string RowOf(string documentId) => documentId[(documentId.LastIndexOf('-') + 1)..];

    private async ValueTask WriteAsync(
        string documentId, string reason, string description, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        DateTimeOffset now = settings.Time.GetUtcNow();
        DeadLetter letter = new()
        {
            SourceId = documentId,
            Source = Source,
            Route = settings.Route,
            Reason = reason,
            Description = description,
            Attempts = attempts,
            FirstSeen = now,
            LastSeen = now,
            IsPart = true,
            Attributes = new Dictionary<string, string>(StringComparer.Ordinal)
            {
                ["bucket"] = log.Bucket,
                ["key"] = log.Key,
                ["version"] = version,
                ["row"] = RowOf(documentId),
            },
        };
        try
        {
            await settings.Store.WriteAsync(letter, body, cancellationToken);
        }
        catch (Exception exception)
        {
            Failure = exception;
            throw;
        }
    }
}

/// <summary>The settings that the dead letters of all logs of a route share.</summary>
/// <param name="Store">Stores the dead letters.</param>
/// <param name="Route">The route's name.</param>
/// <param name="Time">The clock.</param>
/// <param name="Metrics">Counts the dead letters.</param>
/// <param name="MaxRejected">Maximum of rejected documents per log.</param>
internal sealed record LogDeadLetterSettings(IDeadLetterStore Store, string Route, TimeProvider Time, CloudFrontMetrics Metrics, int MaxRejected);
