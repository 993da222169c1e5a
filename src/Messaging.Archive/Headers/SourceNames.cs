using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Archive.Headers;

/// <summary>What a path that begins with @ can read: what the message's source knows beside the body. See docs/reference/attributes.md.</summary>
internal static class SourceNames
{
    /// <summary>An attribute of the message; a name follows.</summary>
    public const string Attribute = "@attribute";

    /// <summary>When the message entered the source: a date only.</summary>
    public const string Enqueued = "@enqueued";

    /// <summary>The message group or session.</summary>
    public const string Group = "@group";

    /// <summary>The source's id.</summary>
    public const string Id = "@id";

    /// <summary>By what the source recognises a message that was sent twice.</summary>
    public const string DeduplicationId = "@deduplication-id";

    private const int ShortestMistake = 5;

    /// <summary>All of them. Those without a constant are properties of the messaging system.</summary>
    public static IReadOnlyList<string> All { get; } =
        [Attribute, Enqueued, Group, Id, DeduplicationId, "@subject", "@correlation-id", "@content-type", "@to", "@reply-to"];

    /// <summary>The one that an unknown name may have meant; null when it is more likely a property of a body. Short names resemble everything.</summary>
    public static string? FindNearest(string name) =>
        name.Length < ShortestMistake ? null : NearestName.Find(name, All.Where(known => known.Length >= ShortestMistake));
}
