using Quayside.Messaging.Configuration;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sources;

namespace Quayside.Messaging.DeadLetters.Redrive;

/// <summary>The dead letters of the folder <c>DeadLetters:Path</c>.</summary>
/// <param name="sender">Sends them to a running worker.</param>
/// <param name="sources">The sources of the worker.</param>
internal sealed class FolderRedriveFeature(ISenderFeature sender, IReadOnlyList<ISourceFeature> sources) : IRedriveFeature
{
    public Func<CommandServices, CancellationToken, Task<IDeadLetterQueue>> ConfigureRedrive(SettingsReader settings, RedriveRequest request)
    {
        DeadLettersOptions options = settings.Read<DeadLettersOptions>("DeadLetters");

        // Reports problems of the common settings now. A route's own settings are read when its first dead letter is sent.
        sender.ConfigureSender(settings, request.Route, request.Url);
        return (services, _) => Task.FromResult<IDeadLetterQueue>(new FolderDeadLetterQueue(options, request, services, Open));

        async Task<(IMessageSender Sender, SentTo To)> Open(string route, CommandServices services, CancellationToken cancellationToken)
        {
            (Func<CommandServices, CancellationToken, Task<IMessageSender>> open, SentTo to) = Configure(route);
            return settings.Errors.Count > 0 ? throw new ConfigurationException(settings.Errors) : (await open(services, cancellationToken), to);
        }

        // To the queue of a route that takes no message from a worker's address. Only to a source with a redrive of its own: no other confirms that it has
        // the message, a datagram least of all.
        (Func<CommandServices, CancellationToken, Task<IMessageSender>> Open, SentTo To) Configure(string route)
        {
            ISourceFeature[] own = [.. RouteOptions.Read(settings, route).Source.Select(Find).OfType<ISourceFeature>()];
            if (own.Any(static source => source is ISenderFeature { StoresInRoutes: true })
                || own.FirstOrDefault(static source => source is ISenderFeature and IRedriveFeature) is not { } queue)
            {
                return (sender.ConfigureSender(settings, route, request.Url), SentTo.Route);
            }

            // Reports what its redrive refuses, such as a topic.
            ((IRedriveFeature)queue).ConfigureRedrive(settings, request with { Route = route, Url = null, Names = null });
            return (((ISenderFeature)queue).ConfigureSender(settings, route, url: null), SentTo.Queue);
        }

        ISourceFeature? Find(string name) => sources.FirstOrDefault(source => string.Equals(source.Name, name, StringComparison.OrdinalIgnoreCase));
    }
}
