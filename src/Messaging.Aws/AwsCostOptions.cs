using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Aws;

/// <summary>
/// Section <c>Costs</c>: prices for the estimates in reports, logs and <c>explain</c>; nothing else depends on them. The defaults are
/// AWS's list prices in us-east-1 for the first tier, without free tiers (aws.amazon.com/sqs/pricing, aws.amazon.com/s3/pricing).
/// </summary>
public sealed class AwsCostOptions
{
    /// <summary>The section's name.</summary>
    public const string Section = "Costs";

    /// <summary>The section; other services that charge may read their own keys from it.</summary>
    public static SettingsSection Settings { get; } = SettingsSection.Of<AwsCostOptions>(Section);

    private const string Wrong = "Only the estimates would be wrong.";

    [Setting("USD per million requests to a standard queue, 64 KiB of payload each; list price of us-east-1", Min = "0", Max = "1000000", Consequence = Wrong)]
    public double SqsStandardPerMillion { get; set; } = 0.40;

    [Setting("USD per million requests to a FIFO queue", Min = "0", Max = "1000000", Consequence = Wrong)]
    public double SqsFifoPerMillion { get; set; } = 0.50;

    [Setting("USD per million requests of S3's PUT class (PutObject, ListObjectsV2), storage class STANDARD; other classes cost more", Min = "0", Max = "1000000", Consequence = Wrong)]
    public double S3PutPerMillion { get; set; } = 5.00;

    [Setting("USD per million requests of S3's GET class (GetObject, HeadObject)", Min = "0", Max = "1000000", Consequence = Wrong)]
    public double S3GetPerMillion { get; set; } = 0.40;

    /// <summary>USD per million requests to a queue.</summary>
    public double SqsPerMillion(bool isFifo) => isFifo ? SqsFifoPerMillion : SqsStandardPerMillion;
}
