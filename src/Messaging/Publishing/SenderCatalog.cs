using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Publishing;

/// <summary>The senders that the worker's sources offer. Immutable.</summary>
internal sealed class SenderCatalog
{
    private readonly Dictionary<string, ISenderFeature> _byName = new(StringComparer.Ordinal);
    private readonly SettingsSections _sections;

    /// <param name="features">The worker's features; the sources in the order in which they were added.</param>
    /// <exception cref="StartupException">Two senders have the same name.</exception>
    internal SenderCatalog(WorkerFeatures features)
    {
        _sections = features.Sections;
        List<ISenderFeature> senders = [];
        foreach (ISourceFeature source in features.Sources)
        {
            if (source is not ISenderFeature sender)
            {
                continue;
            }

            senders.Add(sender);
            foreach (string name in sender.SenderNames)
            {
                if (!_byName.TryAdd(name, sender))
                {
                    throw new StartupException(
                        $"publish --to {name}: the sources {((ISourceFeature)_byName[name]).Name} and {source.Name} both have this name. Add only one of them, "
                            + "or give one another name (ISenderFeature.SenderNames).", ExitCodes.Configuration);
                }
            }
        }

        Names = [.. senders.SelectMany(sender => sender.SenderNames)];
        Description = string.Join(", ", senders.Select(sender => $"{string.Join(" or ", sender.SenderNames)} ({sender.SenderTarget})"));
    }

    /// <summary>Every name, in the order in which the sources were added.</summary>
    public IReadOnlyList<string> Names { get; }

    /// <summary>Every name with its destination, for <c>--help</c>.</summary>
    public string Description { get; }

    /// <summary>Opens a sender; the caller owns it.</summary>
    /// <param name="name">One of <see cref="Names"/>.</param>
    /// <param name="configuration">The configuration with its settings.</param>
    /// <param name="route">The route to send to; null for no particular one.</param>
    /// <param name="url">Address of the running worker; null for the configured one.</param>
    /// <param name="services">The services it may use.</param>
    /// <param name="cancellationToken">Cancels opening.</param>
    /// <exception cref="ConfigurationException">Its settings are invalid; contains every problem.</exception>
    /// <exception cref="StartupException">The target is missing, refuses access or is unreachable.</exception>
    public async Task<IMessageSender> OpenAsync(
        string name, IConfiguration configuration, string? route, string? url, CommandServices services, CancellationToken cancellationToken)
    {
        SettingsReader settings = new(configuration, _sections);
        Func<CommandServices, CancellationToken, Task<IMessageSender>>? open = _byName[name].ConfigureSender(settings, route, url);
        if (settings.Errors.Count > 0)
        {
            throw new ConfigurationException(settings.Errors);
        }

        Task<IMessageSender>? opening = open?.Invoke(services, cancellationToken);
        IMessageSender sender = opening is not null && await opening is { } opened
            ? new CheckedSender(opened, name)
            : throw new StartupException(
                $"publish --to {name}: {_byName[name]} opened no sender; the function that its ConfigureSender returns must return one.", ExitCodes.Software);
        return MessageSpans.IsListening ? new TracedSender(sender, name) : sender;
    }
}
