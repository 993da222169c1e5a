using System.Buffers;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
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
        KeyTemplateOptions key = options.Key;
        if (!KeyTemplate.TryCompile(key, out KeyTemplate? template, out ImmutableArray<KeyTemplateError> errors))
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
                builder.Connector(Connect(options, template!, key, services));
                if (!services.SinkRetries && services.Recoverability.Attempts > 1)
                {
                    builder.Behavior(new RetryBehavior<ArchiveContext>(services.Recoverability, services.Breaker, services.Time));
                }

                builder.Terminator(new StoreTerminator((IObjectSink)services.Sink!, services.Store));
            },
            StoresWholeJson = options.BodyValidation != BodyValidation.HeaderOnly,
            WholeJsonChoice =
                new SettingChoice($"{ArchiveOptions.Section}:{nameof(options.BodyValidation)}", options.BodyValidation.ToString(), nameof(BodyValidation.Full)),
            Properties = [
                .. key.Properties.Select(
                    property => new ObjectPropertyPlan(
                        SettingOf(settings, route, property), property.Kind, property.Name, property.IsFixed ? property.Text : null))],
            NeededValues = template is null ? [] : [.. NeededValues(options, template, key)],
            IdOfWhole = template?.SharesId == true
                ? new SettingValue<string>($"{ArchiveOptions.Section}:{nameof(options.MessageIdProperty)}", options.MessageIdProperty)
                : null,
            FindReserved = level => FindReserved(settings, route, key, level),
            Describe = output => KeyRulesReport.Write(route, options, template!, output),
        };
    }

    public void WriteSample(IBufferWriter<byte> body, int index, string id, DateTimeOffset date) => MessageGenerator.Write(body, index, id, date);

    private static IEnumerable<NeededValue> NeededValues(ArchiveOptions options, KeyTemplate template, KeyTemplateOptions key)
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
                    : key.Properties.FirstOrDefault(property => path.Equals(property.Parse([])))?.Setting ?? nameof(options.MessageIdProperty);
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
    private static ConfigurationError? FindReserved(SettingsReader settings, string route, KeyTemplateOptions key, ReservedLevel reserved)
    {
        KeyTemplateCompiler.TryRead(key, out ImmutableArray<KeyLevel> levels, out _, out _);
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

    private static ArchiveConnector Connect(ArchiveOptions options, KeyTemplate template, KeyTemplateOptions key, HandlerServices services)
    {
        KeyPartMonitor monitor = new(
            services.Route, template.Properties, key, services.Loggers.CreateLogger($"Quayside.Messaging.Routes.{services.Route}"))
        { LookForEnvelope = services.LookForEnvelope };
        services.Reports.Add(() => monitor.Describe() is { } parts
            ? $"properties of object keys since the start: {parts}. The rules are {ArchiveOptions.Section}:{nameof(ArchiveOptions.MissingProperty)} and "
                + $"{nameof(ArchiveOptions.InvalidValue)}"
            : null);
        return new ArchiveConnector(template.CreateReader(options.BodyValidation), template, options.MissingId, monitor, services.Concurrency);
    }
}

/// <summary>Section <c>Handlers:Archive</c>: how a message becomes an object. The key rules: docs/reference/object-keys.md.</summary>
internal sealed class ArchiveOptions
{
    public const string Section = "Handlers:Archive";

    [Setting("Template of the object key: paths of JSON properties in braces with their rules, a date with its format, {MessageId} for the id")]
    public string Template { get; init; } = KeyTemplateOptions.DefaultTemplate;

    [Setting("Levels in front of every key, such as archive/prod")]
    public string KeyPrefix { get; init; } = string.Empty;

    [Setting("Path of the message's id, such as MessageId or event.id; event.id:number for an id that is a number, event.id:any for a string or a number")]
    public string MessageIdProperty { get; init; } = KeyTemplateOptions.DefaultMessageIdProperty;

    [Setting("What to do with a message without an id: DeadLetter, or UseSourceId to name the object after the source's id")]
    public MissingIdRule MissingId { get; init; } = MissingIdRule.DeadLetter;

    [Setting("What to do with a message without another property of the key: Default (the part is unknown, a date is left out) or DeadLetter")]
    public MissingPropertyRule MissingProperty { get; init; } = MissingPropertyRule.Default;

    [Setting("What to do with a value that does not fit the rule of its part: Default (the part is invalid), Encode, or DeadLetter", Advanced = true)]
    public InvalidValueRule InvalidValue { get; init; } = InvalidValueRule.Default;

    [Setting("What to do with a date that cannot be read: DeadLetter, or LeaveOut (its levels are left out, as those of a missing date)")]
    public InvalidDateRule InvalidDate { get; init; } = InvalidDateRule.DeadLetter;

    [Setting("Custom date formats of .NET, such as dd/MM/yyyy HH:mm:ss, tried in order on a date in none of the known forms", Advanced = true)]
    public string[] DateFormats { get; init; } = [];

    [Setting("Time zone of the dates in keys: UTC, or an IANA name such as Europe/Berlin")]
    public string TimeZone { get; init; } = "UTC";

    [Setting(
        "Metadata of each object, by name: fixed text, or one placeholder such as {tenant} or {order.customer.id}, whose value is stored unchanged; a message "
            + "without the value has no such entry. Needs a sink that keeps metadata, such as S3", Advanced = true)]
    public IReadOnlyDictionary<string, string> Metadata { get; init; } = ReadOnlyDictionary<string, string>.Empty;

    [Setting("Tags of each object, by key; otherwise as Metadata", Advanced = true)]
    public IReadOnlyDictionary<string, string> Tags { get; init; } = ReadOnlyDictionary<string, string>.Empty;

    [Setting("How much of a body must be valid: Full, or HeaderOnly (only the part up to the last property that the key needs)")]
    public BodyValidation BodyValidation { get; init; } = BodyValidation.Full;

    /// <summary>The settings that define the keys.</summary>
    public KeyTemplateOptions Key => new()
    {
        Template = Template,
        KeyPrefix = KeyPrefix,
        MessageIdProperty = MessageIdProperty,
        MissingProperty = MissingProperty,
        InvalidValue = InvalidValue,
        InvalidDate = InvalidDate,
        DateFormats = DateFormats,
        TimeZone = TimeZone,
        Properties =
        [
            .. Metadata.Select(entry => new ObjectPropertyText($"{nameof(Metadata)}:{entry.Key}", ObjectPropertyKind.Metadata, entry.Key, entry.Value)),
            .. Tags.Select(entry => new ObjectPropertyText($"{nameof(Tags)}:{entry.Key}", ObjectPropertyKind.Tag, entry.Key, entry.Value)),
        ],
    };
}

/// <summary>What to do with a message whose id property is missing, null or empty.</summary>
internal enum MissingIdRule
{
    /// <summary>It is dead-lettered as <c>missing-id</c>: its sender should fix it.</summary>
    DeadLetter = 0,

    /// <summary>The source's id replaces it. It is the same on every redelivery, but a message that is sent twice can get two ids.</summary>
    UseSourceId,
}
