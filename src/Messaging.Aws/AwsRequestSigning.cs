using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Aws;

/// <summary>
/// Signature Version 4 with the credentials and the region of <c>Aws</c>, for other packages: <c>AddElasticsearch(new AwsRequestSigning())</c>.
/// </summary>
public sealed class AwsRequestSigning : IRequestSigning
{
    /// <inheritdoc/>
    SettingsSection IRequestSigning.Settings => AwsOptions.Settings;

    /// <inheritdoc/>
    Func<TimeProvider, IRequestSigner> IRequestSigning.Configure(SettingsReader settings, string route, string service, Uri address)
    {
        AwsOptions options = settings.Read<AwsOptions>(AwsOptions.Section, route);
        return time => AwsRequestSigner.Create(service, address, options, time);
    }
}
