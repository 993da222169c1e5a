using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.CloudFront.Documents;
using Quayside.Messaging.CloudFront.Events;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.CloudFront;

/// <summary>Section <c>Handlers:CloudFront</c>: how the logs that S3 events name become documents. The rules: docs/guides/cloudfront.md.</summary>
internal sealed class CloudFrontOptions : ISelfValidating
{
    public const string Section = "Handlers:CloudFront";

    [Setting("Buckets whose objects may be read, separated by commas; an event for another bucket is dead-lettered", Required = true)]
    public string[] Buckets { get; init; } = [];

    [Setting("Prefix of the logs' keys; an event for any other key is acknowledged and its object is not read")]
    public string KeyPrefix { get; init; } = string.Empty;

    [Setting(
        "How the store spells keys in its event notifications: Url as S3 does, or None as Ceph does; the keys of EventBridge are never encoded",
        Advanced = true)]
    public KeyEncoding KeyEncoding { get; init; }

    [Setting(
        "Columns to index, separated by commas, spelled as in a log's #Fields line; column=field names the document's field (default: lower case, _ for "
            + "punctuation; cs(User-Agent) becomes user_agent)")]
    public string[] Columns { get; init; } = ["date", "time", "cs(User-Agent)"];

    [Setting("More columns to index, as in Columns, of logs that have them; a document of another log lacks the field", Advanced = true)]
    public string[] OptionalColumns { get; init; } = [];

    [Setting("Field for each row's time in UTC, built from the columns date and time (2026-01-31T10:00:00Z), or None", Advanced = true)]
    public string TimestampField { get; init; } = "@timestamp";

    /// <summary><see cref="TimestampField"/>; empty for none.</summary>
    public string Timestamp => string.Equals(TimestampField, "None", StringComparison.OrdinalIgnoreCase) ? string.Empty : TimestampField;

    [Setting(
        "Maximum size of a log, decompressed, and of its object; a larger one is dead-lettered as log-too-large", Bytes = true, Min = "64KiB", Max = "64GiB",
        Consequence = "It does not change the memory per message, but it changes the time per message.", Advanced = true)]
    public long MaxLogBytes { get; init; } = 256L << 20;

    [Setting(
        "Maximum of decompressed bytes per compressed byte, checked beyond 4 MiB; an object above it is dead-lettered as gzip-ratio-too-high", Min = "2",
        Max = "1032", Consequence = "Deflate cannot exceed 1,032, so the default refuses nothing; MaxLogBytes bounds the work.", Advanced = true)]
    public int MaxRatio { get; init; } = 1032;

    [Setting(
        "Maximum size of a row; a longer one is dead-lettered on its own", Bytes = true, Min = "1KiB", Max = "4MiB",
        Consequence = "Every message in flight holds a window of twice this size, at least 128 KiB.", Advanced = true)]
    public int MaxRowBytes { get; init; } = 64 * 1024;

    [Setting(
        "Unreadable rows per log that are each dead-lettered on their own, and as many rejected documents; with more the message is dead-lettered as "
            + "log-too-many-bad-rows or documents-rejected", Min = "0", Max = "10000",
        Consequence = "Each is a dead letter of its own, written durably.", Advanced = true)]
    public int MaxBadRows { get; init; } = 100;

    [Setting(
        "Time limit of one object, from the request to its last document", Min = "1s", Max = "12h",
        Consequence = "Beyond Intake:MessageTimeout it would never be reached.", Advanced = true)]
    public TimeSpan ObjectTimeout { get; init; } = TimeSpan.FromSeconds(60);

    [Setting("Deliveries of a message whose object does not exist before it is dead-lettered as object-missing", Min = "1", Max = "1000", Advanced = true)]
    public int MissingObjectDeliveries { get; init; } = 3;

    [Setting("Address buckets in the path instead of the hostname; default true for an S3-compatible store, false for AWS", Advanced = true)]
    public bool? ForcePathStyle { get; init; }

    /// <inheritdoc/>
    public void Validate(SettingsCheck check)
    {
        if (Buckets.FirstOrDefault(bucket => !BucketName.IsValid(bucket)) is { } wrong)
        {
            check.Fail(
                nameof(Buckets), $"must be bucket names of 3 to 63 lower-case letters, digits, dots and dashes; \"{wrong}\" is not one.",
                "Requests would go elsewhere.");
        }

        if (!DocumentShape.IsFieldName(TimestampField))
        {
            check.Fail(nameof(TimestampField), "must be a field name of 1 to 128 letters, digits, _ - @ or dots, or None for documents without a timestamp.");
        }

        if (!DocumentShape.TryCreate(Columns, Timestamp, out _, out string? problem))
        {
            check.Fail(nameof(Columns), problem, "No document could be made.", nameof(TimestampField));
        }
        else if (!DocumentShape.TryCreate(Columns, Timestamp, out _, out string? wrongOptional, OptionalColumns))
        {
            check.Fail(nameof(OptionalColumns), wrongOptional, "No document could be made.", nameof(Columns));
        }
    }
}
