using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Messaging.Objects;

namespace Quayside.Messaging.Aws.S3.Sink;

/// <summary>
/// Puts the metadata and tags of a message together with the configured ones, and makes them fit S3's rules. What does not fit is changed or left
/// out, counted and logged: losing metadata is less than losing the message. Threads: any.
/// </summary>
internal sealed class S3ObjectProperties
{
    private static readonly TimeSpan LineInterval = TimeSpan.FromMinutes(1);

    private readonly string? _route;
    private readonly ILogger _logger;
    private readonly KeyValuePair<string, string>[] _metadata;
    private readonly KeyValuePair<string, string>[] _tags;

    /// <param name="options">Have the configured ones.</param>
    /// <param name="route">The route, for the metric; null outside a route.</param>
    /// <param name="logger">Receives a line per loss, throttled.</param>
    /// <param name="time">The clock.</param>
    public S3ObjectProperties(S3SinkOptions options, string? route, ILogger logger, TimeProvider time)
    {
        _route = route;
        _logger = new ThrottlingLogger(logger, time, LineInterval);
        _metadata = [
            .. options.Metadata.Select(
                entry => new KeyValuePair<string, string>(S3PropertyRules.NameOf(entry.Key), S3PropertyRules.EncodeMetadata(entry.Value)))];
        _tags = [.. options.Tags];
    }

    /// <summary>What S3 can never keep of a handler's properties, or what the sink sets for every object already.</summary>
    public static IEnumerable<ConfigurationError> FindProblems(S3SinkOptions options, IReadOnlyList<ObjectPropertyPlan> properties)
    {
        const string Consequence = "No object could be stored with it.";
        foreach (ObjectPropertyPlan property in properties)
        {
            IReadOnlyDictionary<string, string> configured = property.Kind == ObjectPropertyKind.Tag ? options.Tags : options.Metadata;
            string section = property.Kind == ObjectPropertyKind.Tag ? nameof(options.Tags) : nameof(options.Metadata);
            string? problem =
                configured.ContainsKey(property.Name) ? $"is set for every object by {S3SinkOptions.Section}:{section}:{property.Name}: remove one of them."
                    : property.Value is null ? S3PropertyRules.FindNameProblem(property.Name, property.Kind)
                    : S3PropertyRules.FindProblems([new(property.Name, property.Value)], property.Kind).FirstOrDefault();
            if (problem is not null)
            {
                yield return new ConfigurationError(property.Setting, property.Value, problem, Consequence);
            }
        }

        // A value of a message may be empty, so only what is always there counts.
        ObjectPropertyPlan[] metadata = [.. properties.Where(property => property.Kind == ObjectPropertyKind.Metadata)];
        int bytes = options.Metadata
            .Concat(metadata.Select(property => new KeyValuePair<string, string>(property.Name, property.Value ?? string.Empty)))
            .Sum(entry => S3PropertyRules.MetadataBytes(S3PropertyRules.NameOf(entry.Key), S3PropertyRules.EncodeMetadata(entry.Value)));
        if (metadata.Length > 0 && bytes > S3PropertyRules.MaxMetadataBytes)
        {
            yield return new ConfigurationError(
                metadata[^1].Setting, metadata[^1].Value,
                $"must, together with the other metadata of the object, those of {S3SinkOptions.Section} included, "
                    + $"have at most {S3PropertyRules.MaxMetadataBytes:N0} bytes of names and fixed values; these have {bytes:N0}.", Consequence);
        }

        ObjectPropertyPlan[] tags = [.. properties.Where(property => property.Kind == ObjectPropertyKind.Tag)];
        if (tags.Length > 0 && options.Tags.Count + tags.Length > S3PropertyRules.MaxTags)
        {
            yield return new ConfigurationError(
                tags[^1].Setting, tags[^1].Value,
                $"must be one of at most {S3PropertyRules.MaxTags} tags of an object, "
                    + $"those of {S3SinkOptions.Section} included; these are {options.Tags.Count + tags.Length}.", Consequence);
        }
    }

    /// <summary>The metadata and tags of one object as S3 takes them, the configured ones first.</summary>
    public ObjectProperties Fit(ObjectProperties given)
    {
        List<KeyValuePair<string, string>> metadata = [.. _metadata];
        int bytes = metadata.Sum(entry => S3PropertyRules.MetadataBytes(entry.Key, entry.Value));
        foreach ((string givenName, string value) in given.Metadata)
        {
            string name = S3PropertyRules.NameOf(givenName);
            string encoded = S3PropertyRules.EncodeMetadata(value);
            int size = S3PropertyRules.MetadataBytes(name, encoded);
            if (S3PropertyRules.FindNameProblem(name, ObjectPropertyKind.Metadata) is not null || Has(metadata, name))
            {
                Lose(ObjectPropertyKind.Metadata, name, "left_out", "left out, because S3 does not allow the name or the object has it already");
            }
            else if (bytes + size > S3PropertyRules.MaxMetadataBytes)
            {
                Lose(ObjectPropertyKind.Metadata, name, "left_out",
                    $"left out, because an object has at most {S3PropertyRules.MaxMetadataBytes:N0} bytes of metadata");
            }
            else
            {
                bytes += size;
                metadata.Add(new KeyValuePair<string, string>(name, encoded));
            }
        }

        List<KeyValuePair<string, string>> tags = [.. _tags];
        foreach ((string key, string value) in given.Tags)
        {
            if (S3PropertyRules.FindNameProblem(key, ObjectPropertyKind.Tag) is not null || tags.Count == S3PropertyRules.MaxTags || Has(tags, key))
            {
                Lose(ObjectPropertyKind.Tag, key, "left_out",
                    $"left out, because S3 does not allow the key, or the object has it already or has {S3PropertyRules.MaxTags} tags");
            }
            else
            {
                tags.Add(new KeyValuePair<string, string>(key, Clean(key, value)));
            }
        }

        return new ObjectProperties { Metadata = metadata, Tags = tags };
    }

    private static bool Has(List<KeyValuePair<string, string>> list, string name) =>
        list.Exists(entry => string.Equals(entry.Key, name, StringComparison.Ordinal));

    private string Clean(string key, string value)
    {
        string clean = S3PropertyRules.CleanTag(value, out bool replaced, out bool cut);
        if (replaced)
        {
            Lose(ObjectPropertyKind.Tag, key, "replaced", "changed: characters that S3 does not allow became _");
        }

        if (cut)
        {
            Lose(ObjectPropertyKind.Tag, key, "cut", $"cut to {S3PropertyRules.MaxTagValue} characters");
        }

        return clean;
    }

    private void Lose(ObjectPropertyKind kind, string name, string reason, string outcome)
    {
        ObjectStoreMetrics.PropertyLost(_route, name, reason);
        _logger.LogPropertyLost(_route, kind == ObjectPropertyKind.Tag ? "tag" : "metadata", UntrustedText.Shorten(name), outcome);
    }
}
