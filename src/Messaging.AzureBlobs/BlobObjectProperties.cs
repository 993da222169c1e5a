using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Messaging.Objects;

namespace Quayside.Messaging.AzureBlobs;

/// <summary>
/// Puts the metadata and tags of a message together with the configured ones, and makes them fit the rules of Blob Storage. What does not fit is changed
/// or left out, counted and logged: losing metadata is less than losing the message. Threads: any.
/// </summary>
/// <param name="options">Have the configured ones.</param>
/// <param name="route">The route, for the metric; null outside a route.</param>
/// <param name="logger">Receives a line per kind of loss, throttled.</param>
/// <param name="time">The clock.</param>
internal sealed class BlobObjectProperties(BlobSinkOptions options, string? route, ILogger logger, TimeProvider time)
{
    private readonly LogThrottle _changed = new(time, TimeSpan.FromMinutes(1));
    private readonly LogThrottle _leftOut = new(time, TimeSpan.FromMinutes(1));

    /// <summary>What Blob Storage can never keep of a handler's properties, or what the sink sets for every blob already.</summary>
    public static IEnumerable<ConfigurationError> FindProblems(BlobSinkOptions options, IReadOnlyList<ObjectPropertyPlan> properties)
    {
        const string Consequence = "No blob could be stored with it.";
        foreach (ObjectPropertyPlan property in properties)
        {
            (IReadOnlyDictionary<string, string> configured, string section) =
                property.Kind == ObjectPropertyKind.Tag ? (options.Tags, nameof(options.Tags)) : (options.Metadata, nameof(options.Metadata));
            string? problem =
                configured.ContainsKey(property.Name) ? $"is set for every blob by {BlobSinkOptions.Section}:{section}:{property.Name}: remove one of them."
                    : property.Value is null ? BlobPropertyRules.FindNameProblem(property.Name, property.Kind)
                    : BlobPropertyRules.FindProblems([new(property.Name, property.Value)], property.Kind).FirstOrDefault();
            if (problem is not null)
            {
                yield return new ConfigurationError(property.Setting, property.Value, problem, Consequence);
            }
        }

        // A value of a message may be empty, so only what is always there counts.
        foreach (IGrouping<ObjectPropertyKind, ObjectPropertyPlan> given in properties.GroupBy(property => property.Kind))
        {
            KeyValuePair<string, string>[] all = [
                .. given.Key == ObjectPropertyKind.Tag ? options.Tags : options.Metadata,
                .. given.Select(property => new KeyValuePair<string, string>(property.Name, property.Value ?? string.Empty))];
            bool isTooMuch = given.Key == ObjectPropertyKind.Tag
                ? all.Length > BlobPropertyRules.MaxTags
                : BlobPropertyRules.FindProblems(all, given.Key).Any(problem => problem.StartsWith("must have at most", StringComparison.Ordinal));
            if (isTooMuch)
            {
                string limit = given.Key == ObjectPropertyKind.Tag
                    ? $"be one of at most {BlobPropertyRules.MaxTags} tags of a blob"
                    : $"fit into the {BlobPropertyRules.MaxMetadataBytes:N0} bytes of metadata of a blob";
                yield return new ConfigurationError(
                    given.Last().Setting, given.Last().Value, $"must {limit}, those of {BlobSinkOptions.Section} included.", Consequence);
            }
        }
    }

    /// <summary>The metadata and tags of one blob as Blob Storage takes them, the configured ones first.</summary>
    public ObjectProperties Fit(ObjectProperties given)
    {
        List<KeyValuePair<string, string>> metadata =
            [.. options.Metadata.Select(entry => new KeyValuePair<string, string>(entry.Key, BlobPropertyRules.EncodeMetadata(entry.Value)))];
        int bytes = metadata.Sum(entry => BlobPropertyRules.MetadataBytes(entry.Key, entry.Value));
        foreach ((string name, string value) in given.Metadata)
        {
            string encoded = BlobPropertyRules.EncodeMetadata(value);
            int size = BlobPropertyRules.MetadataBytes(name, encoded);
            if (BlobPropertyRules.FindNameProblem(name, ObjectPropertyKind.Metadata) is not null || Has(metadata, name, StringComparison.OrdinalIgnoreCase))
            {
                Lose(ObjectPropertyKind.Metadata, name, "left_out", _leftOut,
                    "left out, because Blob Storage does not allow the name or the blob has it already");
            }
            else if (bytes + size > BlobPropertyRules.MaxMetadataBytes)
            {
                Lose(ObjectPropertyKind.Metadata, name, "left_out", _leftOut,
                    $"left out, because a blob has at most {BlobPropertyRules.MaxMetadataBytes:N0} bytes of metadata");
            }
            else
            {
                bytes += size;
                metadata.Add(new KeyValuePair<string, string>(name, encoded));
            }
        }

        List<KeyValuePair<string, string>> tags = [.. options.Tags];
        foreach ((string key, string value) in given.Tags)
        {
            if (BlobPropertyRules.FindNameProblem(key, ObjectPropertyKind.Tag) is not null
                || tags.Count == BlobPropertyRules.MaxTags
                || Has(tags, key, StringComparison.Ordinal))
            {
                Lose(ObjectPropertyKind.Tag, key, "left_out", _leftOut,
                    $"left out, because Blob Storage does not allow the key, or the blob has it already or has {BlobPropertyRules.MaxTags} tags");
                continue;
            }

            string clean = BlobPropertyRules.CleanTag(value);
            if (!value.StartsWith(clean, StringComparison.Ordinal))
            {
                Lose(ObjectPropertyKind.Tag, key, "replaced", _changed, "changed: characters that Blob Storage does not allow became _");
            }

            if (clean.Length < value.Length)
            {
                Lose(ObjectPropertyKind.Tag, key, "cut", _changed, $"cut to {BlobPropertyRules.MaxTagValue} characters");
            }

            tags.Add(new KeyValuePair<string, string>(key, clean));
        }

        return new ObjectProperties { Metadata = metadata, Tags = tags };
    }

    private static bool Has(List<KeyValuePair<string, string>> list, string name, StringComparison comparison) =>
        list.Exists(entry => string.Equals(entry.Key, name, comparison));

    private void Lose(ObjectPropertyKind kind, string name, string reason, LogThrottle throttle, string outcome)
    {
        ObjectStoreMetrics.PropertyLost(route, name, reason);
        if (throttle.ShouldLog(out SuppressedLines suppressed))
        {
            logger.LogPropertyLost(route, kind == ObjectPropertyKind.Tag ? "tag" : "metadata", UntrustedText.Shorten(name), outcome, suppressed);
        }
    }
}
