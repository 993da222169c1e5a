using System.Runtime.InteropServices;
using Pipeline.Buffers;

namespace Messaging.Archive.Json;

/// <summary>
/// The property names of all objects read so far, open or closed. It finds duplicates in one pass, in linear time. Names are compared
/// unescaped. The hash is the runtime's randomised one, so that a sender cannot choose names that collide. Threads: one at a time.
/// Once warm, 0 bytes allocated per message of up to 512 names.
/// </summary>
internal sealed class JsonNameSet(BufferPool buffers)
{
    private const int InitialCapacity = 64;

    /// <summary>Maximum entries that a header keeps between messages: 20 KiB at 20 bytes each, half of them in use. A larger table is left to the collector.</summary>
    private const int RetainedCapacity = 1_024;

    private readonly int[] _openScopes = new int[JsonScanner.MaxDepth];
    private Entry[] _entries = new Entry[InitialCapacity];
    private PooledBuffer? _unescaped;
    private int _generation;
    private int _count;
    private int _depth;
    private int _scopes;

    /// <summary>Removes the names of the previous message.</summary>
    public void Clear()
    {
        _unescaped?.Dispose();
        _unescaped = null;
        _count = 0;
        _depth = 0;
        _scopes = 0;
        if (_entries.Length > RetainedCapacity)
        {
            _entries = new Entry[InitialCapacity];
        }

        // An entry is valid only in its own generation, so the table is cleared once per 2^32 messages, not once per message.
        if (++_generation == 0)
        {
            Array.Clear(_entries);
            _generation = 1;
        }
    }

    /// <summary>An object opens: names added from here on belong to it.</summary>
    public void Enter() => _openScopes[_depth++] = ++_scopes;

    /// <summary>The innermost object closes.</summary>
    public void Leave() => _depth--;

    /// <summary>Adds a name to the innermost object.</summary>
    /// <param name="json">The scanned text, the same for every call since <see cref="Clear"/>.</param>
    /// <param name="name">The name's location in the text, without lone surrogates.</param>
    /// <returns>False when the object already has the name.</returns>
    public bool TryAdd(ReadOnlySpan<byte> json, JsonText name)
    {
        if (_count >= _entries.Length / 2)
        {
            Grow();
        }

        var entry = new Entry { Generation = _generation, Scope = _openScopes[_depth - 1], Start = name.Start, Length = name.Length };
        if (name.HasEscapes)
        {
            _unescaped ??= buffers.Rent();
            int length = JsonEscapes.Unescape(name.In(json), _unescaped.GetSpan(name.Length));
            entry.Start = ~_unescaped.Length;
            entry.Length = length;
            _unescaped.Advance(length);
        }

        ReadOnlySpan<byte> bytes = NameOf(entry, json);
        entry.Hash = Hash(bytes, entry.Scope);
        int mask = _entries.Length - 1;
        int slot = entry.Hash & mask;
        for (; _entries[slot].Generation == _generation; slot = (slot + 1) & mask)
        {
            ref readonly Entry other = ref _entries[slot];
            if (other.Hash == entry.Hash && other.Scope == entry.Scope && NameOf(other, json).SequenceEqual(bytes))
            {
                return false;
            }
        }

        _entries[slot] = entry;
        _count++;
        return true;
    }

    private static int Hash(ReadOnlySpan<byte> name, int scope)
    {
        int tail = name.Length % 2 == 0 ? 0 : name[^1] + 1;
        return HashCode.Combine(string.GetHashCode(MemoryMarshal.Cast<byte, char>(name), StringComparison.Ordinal), tail, scope);
    }

    // A start below zero is the complement of an index into the unescaped names.
    private ReadOnlySpan<byte> NameOf(in Entry entry, ReadOnlySpan<byte> json) => entry.Start >= 0
        ? json.Slice(entry.Start, entry.Length)
        : _unescaped!.WrittenSpan.Slice(~entry.Start, entry.Length);

    private void Grow()
    {
        Entry[] old = _entries;
        _entries = new Entry[old.Length * 2];
        int mask = _entries.Length - 1;
        foreach (ref readonly Entry entry in old.AsSpan())
        {
            if (entry.Generation != _generation)
            {
                continue;
            }

            int slot = entry.Hash & mask;
            while (_entries[slot].Generation == _generation)
            {
                slot = (slot + 1) & mask;
            }

            _entries[slot] = entry;
        }
    }

    [StructLayout(LayoutKind.Auto)]
    private struct Entry
    {
        public int Generation;
        public int Scope;
        public int Hash;
        public int Start;
        public int Length;
    }
}
