using System.Globalization;
using Messaging.CloudFront.Documents;
using Messaging.CloudFront.Events;
using Messaging.CloudFront.Rows;
using Messaging.DeadLetters;
using Messaging.Sinks;
using Messaging.Telemetry;
using Pipeline.Settlements;

namespace Messaging.CloudFront;

/// <summary>Keeps the rows of one log that became no documents, and the documents that the sink rejected, each as a dead letter of its own.</summary>
/// <param name="settings">What is the same for every log of the route.</param>
/// <param name="log">The object they are of.</param>
/// <param name="version">What tells the object from others of its key, as the ids are made with.</param>
/// <param name="id">Ids of its documents.</param>
/// <param name="numbers">Which row a document was made of.</param>
/// <param name="attempts">Deliveries of the message so far.</param>
internal sealed class LogDeadLetters(LogDeadLetterSettings settings, LogObject log, string version, DocumentId id, RowNumbers numbers, int attempts) : IBadRows, IDocumentRejections
{
    /// <summary>A document that the sink will never take.</summary>
    public const string RejectedReason = "document-rejected";

    /// <summary>More of them than allowed: the message is given up as a whole.</summary>
    public const string TooManyRejectedReason = "documents-rejected";

    /// <summary>What dead letters of parts name as their source; they never came from one by themselves.</summary>
    public const string Source = "cloudfront";

    private int _rejected;

    public async ValueTask KeepAsync(BadRow row, CancellationToken cancellationToken)
    {
        string reason = row.Fault.Code();
        await WriteAsync(row.Number, reason, $"Row {row.Number} of {UntrustedText.Shorten(log.Location)} cannot be read.", row.Text, cancellationToken);
        settings.Metrics.BadRow(reason);
    }

    public async ValueTask RejectAsync(DocumentRejection rejection, CancellationToken cancellationToken)
    {
        string why = $"{rejection.Status} {UntrustedText.Shorten(rejection.Type)}: {UntrustedText.Shorten(rejection.Reason)}";
        if (++_rejected > settings.MaxRejectedDocuments)
        {
            throw new PoisonMessageException(
                TooManyRejectedReason,
                $"The sink rejected more than {settings.MaxRejectedDocuments} documents of {UntrustedText.Shorten(log.Location)}, the last with {why}.");
        }

        long row = numbers.Of(rejection.Index);
        await WriteAsync(row, RejectedReason, $"The document of row {row} of {UntrustedText.Shorten(log.Location)} was rejected: {why}.", rejection.Json, cancellationToken);
    }

    private async ValueTask WriteAsync(long row, string reason, string description, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        DateTimeOffset now = settings.Time.GetUtcNow();
        DeadLetter letter = new()
        {
            SourceId = id.TextOf(row),
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
                ["row"] = row.ToString(CultureInfo.InvariantCulture),
            },
        };
        await settings.Store.WriteAsync(letter, body, cancellationToken);
    }
}

/// <summary>What the dead letters of all logs of a route share.</summary>
/// <param name="Store">Where they are kept.</param>
/// <param name="Route">The route's name.</param>
/// <param name="Time">The clock.</param>
/// <param name="Metrics">Counts them.</param>
/// <param name="MaxRejectedDocuments">Documents of one log that may be rejected.</param>
internal sealed record LogDeadLetterSettings(IDeadLetterStore Store, string Route, TimeProvider Time, CloudFrontMetrics Metrics, int MaxRejectedDocuments);
