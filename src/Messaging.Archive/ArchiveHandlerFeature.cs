using System.Buffers;
using System.Collections.Immutable;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources;

namespace Quayside.Messaging.Archive;

/// <summary>Makes <c>Archive</c> a handler that routes can name: JSON to key to object.</summary>
internal sealed class ArchiveHandlerFeature : IHandlerFeature, ISampleFeature, IKeyExplainer
{
    /// <summary>The handler's name in routes.</summary>
    public const string HandlerName = "Archive";

    public string Name => HandlerName;

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<ArchiveOptions>(ArchiveOptions.Section)];

    /// <summary>Reads a route's settings.</summary>
    public static ArchiveOptions ReadOptions(SettingsReader settings, string route) => settings.Read<ArchiveOptions>(ArchiveOptions.Section, route);

    public bool ExplainKey(RoutePlan route, SettingsReader settings, SampleMessage message, TextWriter output) =>
        KeyReport.ExplainAll(route, ReadOptions(settings, route.Name), message, output);

    public HandlerPlan Configure(SettingsReader settings, string route)
    {
        ArchiveOptions options = ReadOptions(settings, route);
        if (!KeyTemplate.TryCompile(options, out KeyTemplate? template, out ImmutableArray<KeyTemplateError> errors))
        {
            foreach (KeyTemplateError error in errors)
            {
                string name = $"{ArchiveOptions.Section}:{error.Setting}";
                settings.Fail(
                    name, settings.Configuration[name], $"character {error.Position}: {error.Problem}. Allowed: {error.Allowed}.", "No key could be made.");
            }
        }

        return new HandlerPlan
        {
            Compose = (builder, services) =>
            {
                builder.Connector(Connect(options, template!, services));
                if (!services.SinkRetries && services.Recoverability.Attempts > 1)
                {
                    builder.Behavior(new RetryBehavior<ArchiveContext>(services.Recoverability, services.Circuit, services.Time));
                }

                builder.Terminator(new StoreTerminator((IObjectSink)services.Sink!, services.Store));
            },
            StoresWholeJson = options.BodyValidation != BodyValidation.HeaderOnly,
            WholeJsonChoice =
                new SettingChoice($"{ArchiveOptions.Section}:{nameof(options.BodyValidation)}", options.BodyValidation.ToString(), nameof(BodyValidation.Full)),
            Properties = [
                .. options.Properties.Select(
                    property => new ObjectPropertyPlan(
                        SettingOf(settings, route, property), property.Kind, property.Name, property.IsFixed ? property.Text : null))],
            NeededValues = template is null ? [] : [.. NeededValues(options, template)],
            IdOfWhole = template?.SharesId == true
                ? new SettingValue<string>($"{ArchiveOptions.Section}:{nameof(options.MessageIdProperty)}", options.MessageIdProperty)
                : null,
            FindReserved = level => FindReserved(settings, route, options, level),
            Describe = output => KeyRulesReport.Write(route, options, template!, output),
        };
    }

    public void WriteSample(IBufferWriter<byte> body, int index, string id, DateTimeOffset date) => MessageGenerator.Write(body, index, id, date);

    private static IEnumerable<NeededValue> NeededValues(ArchiveOptions options, KeyTemplate template)
    {
        foreach (PropertyPath path in template.Properties.Select(property => property.Path).Where(path => path.IsOfSource))
        {
            MessageValue? value = path.Steps[0].Name switch
            {
                SourceNames.Id or SourceNames.Enqueued => null,
                SourceNames.Attribute => new MessageValue(MessageValueKind.Attribute, path.Steps[^1].Name),
                SourceNames.Group => new MessageValue(MessageValueKind.Group),
                SourceNames.DeduplicationId => new MessageValue(MessageValueKind.DeduplicationId),
                { } name => new MessageValue(MessageValueKind.SystemProperty, name[1..]),
                null => null,
            };
            if (value is { } needed)
            {
                string setting = options.Template.Contains($"{{{path.Text}", StringComparison.Ordinal) ? nameof(options.Template)
                    : options.Properties.FirstOrDefault(property => path.Equals(property.Parse([])))?.Setting ?? nameof(options.MessageIdProperty);
                yield return new NeededValue($"{ArchiveOptions.Section}:{setting}", path.Text, needed);
            }
        }
    }

    private static string SettingOf(SettingsReader settings, string route, ObjectPropertyText property)
    {
        string shared = $"{ArchiveOptions.Section}:{property.Setting}";
        string own = $"Routes:{route}:{shared}";
        return settings.Configuration[own] is null ? shared : own;
    }

    // Without this check the sink would reject such keys one by one.
    private static ConfigurationError? FindReserved(SettingsReader settings, string route, ArchiveOptions options, ReservedLevel reserved)
    {
        KeyTemplateCompiler.TryRead(options, out ImmutableArray<KeyLevel> levels, out _, out _);
        KeyLevel? taken = levels.Where((level, index) => level.CanBe(reserved.Name) && level.CanBeFirst(levels.Take(index))).FirstOrDefault();
        if (taken is null)
        {
            return null;
        }

        string name = $"{ArchiveOptions.Section}:{taken.Setting}";
        return new ConfigurationError(
            name,
            settings.Configuration[$"Routes:{route}:{name}"] ?? settings.Configuration[name],
            $"must not begin with {reserved.Name}, directly, through a placeholder's value, "
                + $"or when a message without a date leaves out the levels before it: {reserved.Reason}.",
            "Messages would be dead-lettered.");
    }

    private static ArchiveConnector Connect(ArchiveOptions options, KeyTemplate template, HandlerServices services)
    {
        KeyPartMonitor monitor = new(
            services.Route, template.Properties, options, services.Time, services.Loggers.CreateLogger($"Quayside.Messaging.Routes.{services.Route}"))
        { LookForEnvelope = services.LookForEnvelope };
        services.Reports.Add(() => monitor.Describe() is { } parts
            ? $"properties of object keys since the start: {parts}. The rules are {ArchiveOptions.Section}:{nameof(ArchiveOptions.MissingProperty)} and "
                + $"{nameof(ArchiveOptions.InvalidValue)}"
            : null);
        return new ArchiveConnector(template.CreateReader(options.BodyValidation), template, options.MissingId, monitor, services.Concurrency);
    }
}
