using System.Text;
using Messaging.DeadLetters;
using Proof.Models;

namespace Proof.Simulation;

/// <summary>Messages that are stored as objects under keys from their properties.</summary>
internal sealed class ArchiveWork(World world, FaultPlan plan) : Work
{
    public override byte[] Create(int number)
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

    public override bool IsMalformed(byte[] body) => body[^1] != '}';

    public override bool IsDone(QueuedMessage message) =>
        KeyOf(message) is { } key && (plan.UsesFolder ? world.Disk.Holds(key, message.Body) : world.Store.Holds(key, message.Body));

    public override bool IsPoison(QueuedMessage message) =>
        KeyOf(message) is not { } key || world.Sent.Any(other => other != message && KeyOf(other) == key);

    public override bool IsPart(DeadLetter? letter, byte[] body) =>
        letter is { IsPart: true } && (plan.BundleMessages > 0 || world.Sent.Any(message => message.Body.AsSpan().StartsWith(body)));

    public override string? FindForeign()
    {
        foreach ((string key, string body) in plan.UsesFolder ? world.Disk.Contents() : world.Store.Contents())
        {
            if (!world.Sent.Any(message => Encoding.UTF8.GetString(message.Body) == body && (key.Length == 0 || key == KeyOf(message))))
            {
                return $"object {key} is not a message: {body}";
            }
        }

        return null;
    }

    // Messages share few folders, so that they share the syncs of these.
    private static string FolderOf(int number) => $"\"Folder\":\"f{number % 3}\"";

    // Null for poison.
    private string? KeyOf(QueuedMessage message)
    {
        if (IsMalformed(message.Body))
        {
            return null;
        }

        string[] texts = Encoding.UTF8.GetString(message.Body).Split('"');
        return $"{texts[7]}/{texts[3]}";
    }
}
