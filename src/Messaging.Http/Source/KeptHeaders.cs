using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace Quayside.Messaging.Http.Source;

/// <summary>
/// The headers of a request that become attributes of its messages, by <c>Sources:Http:Headers</c>. Immutable. Allocates only for requests that have one of
/// them.
/// </summary>
internal sealed class KeptHeaders
{
    /// <summary>Maximum characters of the names and values that one request may have: every message in flight holds them.</summary>
    public const int MaxCharacters = 8 << 10;

    // Every CloudEvent in binary mode has it.
    private const string CloudEvents = "ce-*";
    private const string CloudEventsMark = "ce-specversion";

    private static readonly HttpRefusal TooLarge = new(
        StatusCodes.Status431RequestHeaderFieldsTooLarge,
        "headers-too-large",
        $"The headers that become attributes ({HttpSourceOptions.Section}:{nameof(HttpSourceOptions.Headers)}) have more than {MaxCharacters} characters. "
            + "Nothing was accepted; sending it again does not help.");

    private readonly string[] _names;
    private readonly string[] _prefixes;
    private readonly bool _takesCloudEvents;

    /// <param name="patterns">Checked names, with a <c>*</c> at the end for all that begin so.</param>
    public KeptHeaders(IEnumerable<string> patterns)
    {
        string[] all = [.. patterns.Select(pattern => pattern.ToLowerInvariant()).Distinct(StringComparer.Ordinal)];
        _takesCloudEvents = all.Contains(CloudEvents);
        _names = [.. all.Where(pattern => !pattern.EndsWith('*'))];
        _prefixes = [.. all.Where(pattern => pattern.EndsWith('*') && pattern != CloudEvents).Select(pattern => pattern[..^1])];
    }

    /// <summary>True when a header of this name becomes an attribute; attributes are in lower case.</summary>
    public static bool CanKeep(IEnumerable<string> patterns, string attribute) =>
        attribute == attribute.ToLowerInvariant() && patterns.Any(pattern => pattern.EndsWith('*')
            ? attribute.StartsWith(pattern[..^1], StringComparison.OrdinalIgnoreCase)
            : attribute.Equals(pattern, StringComparison.OrdinalIgnoreCase));

    /// <summary>Reads the headers of a request.</summary>
    /// <param name="headers">The request's.</param>
    /// <param name="kept">The attributes, with names in lower case.</param>
    /// <param name="refusal">Why the request is refused, when false is returned.</param>
    public bool TryRead(IHeaderDictionary headers, out IReadOnlyList<KeyValuePair<string, string>> kept, [NotNullWhen(false)] out HttpRefusal? refusal)
    {
        List<KeyValuePair<string, string>>? found = null;
        foreach (string name in _names)
        {
            if (headers.TryGetValue(name, out StringValues value))
            {
                Add(name, value, ref found);
            }
        }

        bool hasEvent = _takesCloudEvents && headers.ContainsKey(CloudEventsMark);
        if (hasEvent || _prefixes.Length > 0)
        {
            foreach ((string name, StringValues value) in headers)
            {
                if ((hasEvent && name.StartsWith("ce-", StringComparison.OrdinalIgnoreCase))
                    || Array.Exists(_prefixes, prefix => name.StartsWith(prefix, StringComparison.OrdinalIgnoreCase)))
                {
                    Add(name.ToLowerInvariant(), value, ref found);
                }
            }
        }

        kept = (IReadOnlyList<KeyValuePair<string, string>>?)found ?? [];
        refusal = found is null || found.Sum(header => header.Key.Length + header.Value.Length) <= MaxCharacters ? null : TooLarge;
        return refusal is null;
    }

    private static void Add(string name, StringValues value, ref List<KeyValuePair<string, string>>? found)
    {
        found ??= [];
        if (!found.Exists(other => other.Key == name))
        {
            // As HTTP joins the lines of one header.
            found.Add(KeyValuePair.Create(name, value.Count == 1 ? value[0] ?? string.Empty : string.Join(", ", value.ToArray())));
        }
    }
}
