using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.AzureBlobs;

/// <summary>
/// Section <c>Costs</c>: prices for the estimates in reports, logs and <c>explain</c>; nothing else depends on them. The defaults are Azure's list
/// prices in East US for tier Hot with locally redundant storage (azure.microsoft.com/pricing/details/storage/blobs).
/// </summary>
internal sealed class BlobCostOptions
{
    private const string Wrong = "Only the estimates would be wrong.";

    public static SettingsSection Settings { get; } = SettingsSection.Of<BlobCostOptions>("Costs");

    [Setting("USD per million write operations of Blob Storage (PutBlob, ListBlobs), tier Hot with LRS; other tiers cost more", Min = "0", Max = "1000000", Consequence = Wrong)]
    public double BlobWritePerMillion { get; init; } = 5.00;

    [Setting("USD per million read operations of Blob Storage (GetBlob, GetBlobProperties), tier Hot", Min = "0", Max = "1000000", Consequence = Wrong)]
    public double BlobReadPerMillion { get; init; } = 0.40;
}
