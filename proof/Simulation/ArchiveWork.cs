using System.Text;
using System.Text.Json;
using Proof.Models;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Storage;

namespace Proof.Simulation;

/// <summary>
/// Messages whose contents are stored as objects under keys from their properties: most are their own content, others have it in an envelope, or several.
/// </summary>
internal sealed class ArchiveWork(World world, FaultPlan plan) : Work
{
    // Of its own, so that an envelope changes nothing else of a world.
    private readonly Random _random = new(plan.Seed ^ 0xE57);
    private readonly Dictionary<string, byte[][]> _contents = new(StringComparer.Ordinal);

    private bool IsSplit => plan.Envelope == Envelopes.JsonArray;

    public override byte[] Create(int number)
    {
        byte[][] contents = [CreateContent(number), .. IsSplit ? Enumerable.Range(1, _random.Next(3)).Select(element => CreateElement(number, element)) : []];
        byte[] body = Envelopes.Wrap(plan.Envelope, number, contents);
        _contents.Add(Encoding.UTF8.GetString(body), contents);
        return body;
    }

    public override bool IsMalformed(byte[] body) => Array.Exists(ContentsOf(body), static content => content[^1] != '}');

    public override bool IsDone(QueuedMessage message) =>
        Array.TrueForAll(ContentsOf(message.Body), content => IsStored(content) || (IsSplit && IsDeadPart(content)));

    public override bool IsPoison(QueuedMessage message) => IsMalformed(message.Body) || Array.TrueForAll(ContentsOf(message.Body), IsPoison);

    public override bool IsPart(DeadLetter? letter, byte[] body) => letter switch
    {
        // An object, or the start of one or of a dead letter.
        { Reason: UnfinishedDeadLetters.Reason, IsPart: false } => AllContents().Any(content => content.AsSpan().SequenceEqual(body)),
        { Reason: UnfinishedDeadLetters.Reason } =>
            plan.BundleMessages > 0
                || AllContents().Any(content => content.AsSpan().StartsWith(body))
                || world.Sent.Any(message => message.Body.AsSpan().StartsWith(body)),
        { IsPart: true } => IsSplit && AllContents().Any(content => IsPoison(content) && content.AsSpan().SequenceEqual(body)),
        _ => false,
    };

    public override string? FindForeign()
    {
        foreach ((string key, string body) in plan.UsesFolder ? world.Disk.Contents() : world.Store.Contents())
        {
            if (!AllContents().Any(content => Encoding.UTF8.GetString(content) == body && (key.Length == 0 || key == KeyOf(content))))
            {
                return $"object {key} is not a message: {body}";
            }
        }

        return null;
    }

    private byte[] CreateContent(int number)
    {
        double kind = world.Random.NextDouble();
        int other = number == 0 ? 0 : world.Random.Next(number);
        if (kind < plan.PoisonShare + plan.CollisionShare)
        {
            world.Meets(kind < plan.PoisonShare ? Fault.MessageIsPoison : Fault.MessageCollides);
        }

        return Encoding.UTF8.GetBytes(kind < plan.PoisonShare ? $"{{\"MessageId\":\"m{number}\",{FolderOf(number)},\"n\":"
            : kind < plan.PoisonShare + plan.CollisionShare ? $"{{\"MessageId\":\"m{other}\",{FolderOf(other)},\"n\":{number}}}"
            : $"{{\"MessageId\":\"m{number}\",{FolderOf(number)},\"n\":{number},\"text\":\"{new string('x', world.Random.Next(200))}\"}}");
    }

    // Without an id it is poison, which does not break the array around it.
    private byte[] CreateElement(int number, int element) => Encoding.UTF8.GetBytes(_random.NextDouble() < plan.PoisonShare
        ? $"{{\"Message\":\"m{number}-{element}\",{FolderOf(number)},\"n\":{number}}}"
        : $"{{\"MessageId\":\"m{number}-{element}\",{FolderOf(number)},\"n\":{number}}}");

    private byte[][] ContentsOf(byte[] body) => _contents[Encoding.UTF8.GetString(body)];

    private IEnumerable<byte[]> AllContents() => _contents.Values.SelectMany(static contents => contents);

    private bool IsStored(byte[] content) => KeyOf(content) is { } key && (plan.UsesFolder ? world.Disk.Holds(key, content) : world.Store.Holds(key, content));

    private bool IsDeadPart(byte[] content) =>
        IsPoison(content) && world.Dead.Any(dead => dead.Letter is { IsPart: true } && dead.Body.AsSpan().SequenceEqual(content));

    private bool IsPoison(byte[] content) => KeyOf(content) is not { } key || AllContents().Any(other => other != content && KeyOf(other) == key);

    // Messages share few folders, so that they share the syncs of these.
    private static string FolderOf(int number) => $"\"Folder\":\"f{number % 3}\"";

    // Null for poison.
    private static string? KeyOf(byte[] content)
    {
        string[] texts = Encoding.UTF8.GetString(content).Split('"');
        return content[^1] == '}' && texts[1] == "MessageId" ? $"{texts[7]}/{texts[3]}" : null;
    }
}

/// <summary>The envelopes of a world's messages, by the names of the route's setting.</summary>
internal static class Envelopes
{
    public const string Sns = "Sns";
    public const string Gzip = "Base64, Gzip";
    public const string JsonArray = "JsonArray";

    public static readonly string[] All = [Sns, Gzip, JsonArray];

    /// <param name="envelope">Null for none.</param>
    /// <param name="number">The message's number.</param>
    /// <param name="contents">One, or several for an array.</param>
    public static byte[] Wrap(string? envelope, int number, byte[][] contents) => envelope switch
    {
        null => contents[0],
        Sns => Encoding.UTF8.GetBytes(
            $"{{\"Type\":\"Notification\",\"MessageId\":\"{number}\",\"TopicArn\":\"arn:aws:sns:eu-west-1:1:orders\",\"Message\":\""
                + $"{JsonEncodedText.Encode(contents[0])}\"}}"),
        Gzip => Encoding.UTF8.GetBytes(Convert.ToBase64String(Models.Gzip.Compress(Encoding.UTF8.GetString(contents[0])))),
        _ => Encoding.UTF8.GetBytes($"[{string.Join(',', contents.Select(Encoding.UTF8.GetString))}]"),
    };
}
