using Messaging.Aws.S3;
using Messaging.CloudFront.Documents;
using Messaging.Configuration;

namespace Messaging.CloudFront;

/// <summary>Section <c>Handlers:CloudFront</c>: how the logs that S3 events tell of become documents. The rules: docs/guides/cloudfront.md.</summary>
internal sealed class CloudFrontOptions : ISelfValidating
{
    public const string Section = "Handlers:CloudFront";

    [Setting("Buckets whose objects may be read, separated by commas; an event of another bucket is dead-lettered", Required = true)]
    public string[] Buckets { get; init; } = [];

    [Setting("What the keys of logs begin with; objects with another key are acknowledged and not read")]
    public string KeyPrefix { get; init; } = string.Empty;

    [Setting("What the keys of logs end in; objects with another key are acknowledged and not read")]
    public string KeySuffix { get; init; } = string.Empty;

    [Setting("Columns to take, as a log's #Fields line spells them, separated by commas; column=field names the document's field (default: lower case, _ for punctuation, cs(User-Agent) is user_agent)")]
    public string[] Columns { get; init; } = ["date", "time", "cs(User-Agent)"];

    [Setting("Field that holds each row's moment in UTC, made of the columns date and time (2026-01-31T10:00:00Z); empty for none")]
    public string TimestampField { get; init; } = "@timestamp";

    [Setting("Undo percent-encoding in the columns, once; a value that would not be UTF-8 then stays encoded")]
    public bool DecodePercent { get; init; }

    [Setting("Largest log after decompression, and largest object; a larger one is dead-lettered as log-too-large", Bytes = true, Min = "64KiB", Max = "64GiB", Consequence = "Memory does not depend on it; the time of a message does.")]
    public long MaxLogBytes { get; init; } = 256L << 20;

    [Setting("Most decompressed bytes a compressed one, looked at beyond 4 MiB; above it the object is dead-lettered as gzip-ratio-too-high", Min = "2", Max = "1032", Consequence = "Deflate cannot exceed 1,032.")]
    public int MaxRatio { get; init; } = 200;

    [Setting("Longest row; a longer one is set aside", Bytes = true, Min = "1KiB", Max = "4MiB", Consequence = "Every message in work holds a window of twice that, at least 128 KiB.")]
    public int MaxRowBytes { get; init; } = 64 * 1024;

    [Setting("Rows of one log that may be set aside because they cannot be read; with more the whole log is dead-lettered as log-too-many-bad-rows", Min = "0", Max = "10000", Consequence = "Each is a dead letter of its own, written durably.")]
    public int MaxBadRows { get; init; } = 100;

    [Setting("Documents of one log that the sink may reject, each set aside; with more the message is dead-lettered as documents-rejected", Min = "0", Max = "10000", Consequence = "Each is a dead letter of its own, written durably.")]
    public int MaxRejectedDocuments { get; init; } = 100;

    [Setting("Time one object may take from the request to its last document", Min = "1s", Max = "12h", Consequence = "Beyond Intake:MessageTimeout it would never be reached.")]
    public TimeSpan ObjectTimeout { get; init; } = TimeSpan.FromSeconds(60);

    [Setting("Deliveries of a message whose object does not exist before it is dead-lettered as object-missing", Min = "1", Max = "1000")]
    public int MissingObjectDeliveries { get; init; } = 3;

    [Setting("Address buckets in the path instead of the host name; without it true for an S3-compatible store and false for AWS")]
    public bool? ForcePathStyle { get; init; }

    /// <inheritdoc/>
    public void Validate(SettingsCheck check)
    {
        if (Buckets.FirstOrDefault(bucket => !BucketName.IsValid(bucket)) is { } wrong)
        {
            check.Fail(nameof(Buckets), $"must be names of buckets, 3 to 63 lower-case letters, digits, dots and dashes; \"{wrong}\" is none.", "Requests would go elsewhere.");
        }

        if (TimestampField.Length > 0 && !DocumentShape.IsFieldName(TimestampField))
        {
            check.Fail(nameof(TimestampField), "must be a field name of 1 to 128 letters, digits, _ - @ or dots, or empty for documents without a timestamp.");
        }

        if (!DocumentShape.TryCreate(Columns, TimestampField, out _, out string? problem))
        {
            check.Fail(nameof(Columns), problem, "No document could be made.", nameof(TimestampField));
        }
    }
}
