using Quayside.Messaging.Archive;

namespace Quayside.Messaging.Hosting;

/// <summary>Adds the archive to a worker.</summary>
public static class ArchiveWorkerBuilderExtensions
{
    /// <summary>
    /// Adds the handler <c>Archive</c>, which stores a message unchanged under a key derived from its JSON. Settings: <c>Handlers:Archive</c>.
    /// </summary>
    public static IMessageWorkerBuilder AddArchive(this IMessageWorkerBuilder builder) => builder.AddHandler(new ArchiveHandlerFeature());
}
