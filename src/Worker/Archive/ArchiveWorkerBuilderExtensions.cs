using Messaging.CommandLine;
using Messaging.Hosting;

namespace Worker.Archive;

/// <summary>Adds the archive to a worker.</summary>
public static class ArchiveWorkerBuilderExtensions
{
    /// <summary>
    /// Adds the handler <c>Archive</c>: a message is stored unchanged under a key that is made from its JSON; and the command
    /// <c>explain-key</c>. Settings: <c>Handlers:Archive</c>.
    /// </summary>
    public static IMessageWorkerBuilder AddArchive(this IMessageWorkerBuilder builder) => builder
        .AddHandler(new ArchiveHandlerFeature())
        .AddCommand(ExplainKeyCommand.Create);
}
