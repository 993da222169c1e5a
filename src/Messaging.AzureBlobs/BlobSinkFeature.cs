using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.AzureBlobs;

/// <summary>The sink <c>AzureBlobs</c>: one blob per message or bundle, in a container.</summary>
internal sealed class BlobSinkFeature : ISinkFeature
{
    public string Name => "AzureBlobs";

    public bool KeepsProperties => true;

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<BlobSinkOptions>(BlobSinkOptions.Section)];

    public SinkPlan Configure(SettingsReader settings, string route)
    {
        BlobSinkOptions options = settings.Read<BlobSinkOptions>(BlobSinkOptions.Section, route);
        return new SinkPlan
        {
            Create = services => new BlobSink(options, services),
            CheckProperties = properties => BlobObjectProperties.FindProblems(options, properties),
            StoreTimeout = options.TotalTimeout,
            Retries = true,
        };
    }
}
