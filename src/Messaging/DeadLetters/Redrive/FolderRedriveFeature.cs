using Messaging.Configuration;
using Messaging.Publishing;

namespace Messaging.DeadLetters.Redrive;

/// <summary>The dead letters of the folder <c>DeadLetters:Path</c>.</summary>
/// <param name="sender">Sends them to a running worker.</param>
internal sealed class FolderRedriveFeature(ISenderFeature sender) : IRedriveFeature
{
    public string RedriveName => "folder";

    public string RedriveDescription => "dead letters of sources without a dead-letter queue, posted to a running worker";

    public Func<CommandServices, CancellationToken, Task<RedriveResult>> ConfigureRedrive(SettingsReader settings, RedriveRequest request)
    {
        DeadLettersOptions options = settings.Read<DeadLettersOptions>("DeadLetters");

        // Reports problems of the common settings now. A route's own settings are read when its first dead letter is sent.
        sender.ConfigureSender(settings, request.Route, request.Url);
        return (services, cancellationToken) => FolderRedrive.RunAsync(options, request, services, Open, cancellationToken);

        Task<IMessageSender> Open(string route, CommandServices services, CancellationToken cancellationToken)
        {
            Func<CommandServices, CancellationToken, Task<IMessageSender>> open = sender.ConfigureSender(settings, route, request.Url);
            return settings.Errors.Count > 0 ? throw new ConfigurationException(settings.Errors) : open(services, cancellationToken);
        }
    }
}
