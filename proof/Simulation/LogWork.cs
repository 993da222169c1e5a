using System.Text;
using Proof.Models;
using Quayside.Messaging.DeadLetters;

namespace Proof.Simulation;

/// <summary>Events of S3, each about one or two logs whose rows become documents.</summary>
internal sealed class LogWork(World world, FaultPlan plan) : Work
{
    private readonly Dictionary<string, string[]> _keys = new(StringComparer.Ordinal);

    public override byte[] Create(int number)
    {
        Random random = world.Random;
        double kind = random.NextDouble();
        bool isPoison = kind < plan.PoisonShare;
        bool isShared = !isPoison && kind < plan.PoisonShare + plan.CollisionShare && number > 0;
        bool isMalformed = isPoison && random.Next(4) == 0;
        if (isPoison || isShared)
        {
            world.Meets(isPoison ? Fault.MessageIsPoison : Fault.MessageCollides);
        }

        string own = $"l{number}";
        world.Logs.Write(own, isDamaged: isPoison && !isMalformed);
        string[] keys = isShared ? [own, $"l{random.Next(number)}"] : [own];
        string text = $"{{\"Records\":[{string.Join(',', keys.Select(Record))}],\"n\":{number}{(isMalformed ? string.Empty : "}")}";
        _keys.Add(text, keys);
        return Encoding.UTF8.GetBytes(text);
    }

    public override bool IsMalformed(byte[] body) => body[^1] != '}';

    public override bool IsDone(QueuedMessage message) => !IsMalformed(message.Body) && KeysOf(message).All(IsIndexed);

    public override bool IsPoison(QueuedMessage message) =>
        IsMalformed(message.Body) || KeysOf(message).Any(key => world.Logs.Find(key) is not { IsDamaged: false });

    // The worker looks for a log that does not exist again.
    public override bool IsRepeated(QueuedMessage message) => !IsMalformed(message.Body) && KeysOf(message).Any(key => world.Logs.Find(key) is null);

    public override bool IsPart(DeadLetter? letter, byte[] body)
    {
        string text = Encoding.UTF8.GetString(body);
        return letter is { IsPart: true } && world.Logs.Logs.Any(log => log.Rows.Any(row => !LogModel.IsGood(row) && (row.Document ?? row.Text) == text));
    }

    public override string? FindForeign()
    {
        HashSet<string> good = [.. world.Logs.Logs.SelectMany(log => log.Rows).Where(LogModel.IsGood).Select(row => row.Document!)];
        return world.Index.Documents.FirstOrDefault(document => !good.Remove(document)) is { } foreign
            ? $"a document is no row, or is there twice: {foreign}"
            : null;
    }

    private string[] KeysOf(QueuedMessage message) => _keys[Encoding.UTF8.GetString(message.Body)];

    private bool IsIndexed(string key)
    {
        if (world.Logs.Find(key) is not { IsDamaged: false } log)
        {
            return false;
        }

        HashSet<string> parts = [.. world.DeadLetters.Letters.Where(dead => dead.Letter.IsPart).Select(dead => Encoding.UTF8.GetString(dead.Body))];
        return log.Rows.All(row => LogModel.IsGood(row) ? world.Index.Holds(row.Document!) : parts.Contains(row.Document ?? row.Text));
    }

    private static string Record(string key) =>
        $"{{\"eventName\":\"ObjectCreated:Put\",\"s3\":{{\"bucket\":{{\"name\":\"{LogModel.Bucket}\"}},\"object\":{{\"key\":\"{key}\"}}}}}}";
}
