using System.Runtime.InteropServices;
using System.Text;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>
/// Reads the metadata and tags of an object from its message. Values are those of the message, without the rules of keys; a message without a value
/// has no such entry. Allocates the texts. Immutable: one instance serves all threads.
/// </summary>
internal sealed class ObjectPropertyReader
{
    private readonly Entry[] _metadata;
    private readonly Entry[] _tags;

    /// <summary>Set when no message has values of its own.</summary>
    private readonly ObjectProperties? _fixed;

    private ObjectPropertyReader(IReadOnlyList<ObjectPropertyText> texts, IReadOnlyList<int> slots, int idSlot)
    {
        Entry[] all =
            [.. texts.Select((text, index) => new Entry(text.Kind, text.Name, text.IsFixed ? text.Text : null, slots[index], slots[index] == idSlot))];
        _metadata = [.. all.Where(entry => entry.Kind == ObjectPropertyKind.Metadata)];
        _tags = [.. all.Where(entry => entry.Kind == ObjectPropertyKind.Tag)];
        _fixed = Array.TrueForAll(all, entry => entry.Text is not null) ? Read(new ArchiveHeader(), sourceId: default) : null;
    }

    /// <summary>Makes the reader of a template's properties; null when there are none.</summary>
    /// <param name="texts">The properties, already checked.</param>
    /// <param name="slots">For each the slot of its value; any number for fixed text.</param>
    /// <param name="idSlot">The slot of the id.</param>
    public static ObjectPropertyReader? Create(IReadOnlyList<ObjectPropertyText> texts, IReadOnlyList<int> slots, int idSlot) =>
        texts.Count == 0 ? null : new ObjectPropertyReader(texts, slots, idSlot);

    /// <summary>Reads those of one message.</summary>
    /// <param name="header">Read from the message.</param>
    /// <param name="sourceId">Replaces an id that the message lacks; may be empty.</param>
    public ObjectProperties Read(ArchiveHeader header, ReadOnlySpan<byte> sourceId) => _fixed ?? new ObjectProperties
    {
        Metadata = Read(_metadata, header, sourceId),
        Tags = Read(_tags, header, sourceId),
    };

    private static List<KeyValuePair<string, string>> Read(Entry[] entries, ArchiveHeader header, ReadOnlySpan<byte> sourceId)
    {
        List<KeyValuePair<string, string>> read = new(entries.Length);
        foreach (Entry entry in entries)
        {
            if (entry.Text is { } text)
            {
                read.Add(new KeyValuePair<string, string>(entry.Name, text));
                continue;
            }

            ReadOnlySpan<byte> value = header.Text(entry.Slot);
            value = value.IsEmpty && entry.IsId ? sourceId : value;
            if (!value.IsEmpty)
            {
                read.Add(new KeyValuePair<string, string>(entry.Name, Encoding.UTF8.GetString(value)));
            }
        }

        return read;
    }

    [StructLayout(LayoutKind.Auto)]
    private readonly record struct Entry(ObjectPropertyKind Kind, string Name, string? Text, int Slot, bool IsId);
}
