using Messaging.Tests.Planning;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sources;

namespace Messaging.Tests.Sources;

/// <summary>Opens the sender of a source as <c>publish --to</c> does.</summary>
internal static class Senders
{
    public static Task<IMessageSender> OpenAsync(ISourceFeature source, IConfiguration configuration, string? url = null)
    {
        SenderCatalog catalog = new(FakeFeatures.Of([source], [], []));
        return catalog.OpenAsync(
            catalog.Names[0], configuration, route: null, url, new CommandServices(TimeProvider.System, TextWriter.Null, TextWriter.Null),
            CancellationToken.None);
    }
}
