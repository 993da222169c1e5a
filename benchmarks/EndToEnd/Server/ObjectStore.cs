using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Benchmarks.EndToEnd.Server;

/// <summary>Objects by key: the bytes are copied into blocks and can be read again. Threads: one at a time.</summary>
internal sealed class ObjectStore
{
    private const int BlockBytes = 16 << 20;

    private readonly Dictionary<UInt128, (int Block, int Offset, int Length)> _objects = [];
    private readonly List<byte[]> _blocks = [];
    private int _used = BlockBytes;
    private int _current = -1;

    public int Count => _objects.Count;

    /// <summary>Stores one object.</summary>
    /// <returns>False when the key exists and must not be replaced.</returns>
    public bool TryPut(ReadOnlySpan<byte> key, ReadOnlySpan<byte> body, bool onlyIfAbsent)
    {
        UInt128 name = NameOf(key);
        if (onlyIfAbsent && _objects.ContainsKey(name))
        {
            return false;
        }

        if (_used + body.Length > BlockBytes)
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThan(body.Length, BlockBytes, nameof(body));
            _current++;
            _used = 0;
            if (_current == _blocks.Count)
            {
                _blocks.Add(new byte[BlockBytes]);
            }
        }

        body.CopyTo(_blocks[_current].AsSpan(_used));
        _objects[name] = (_current, _used, body.Length);
        _used += body.Length;
        return true;
    }

    public bool TryGet(ReadOnlySpan<byte> key, out ReadOnlyMemory<byte> body)
    {
        bool found = _objects.TryGetValue(NameOf(key), out (int Block, int Offset, int Length) at);
        body = found ? _blocks[at.Block].AsMemory(at.Offset, at.Length) : default;
        return found;
    }

    /// <summary>Forgets every object; the memory is reused.</summary>
    public void Clear()
    {
        _objects.Clear();
        _current = -1;
        _used = BlockBytes;
    }

    // 128 bits name a key: the chance that two of a million collide is 1 in 10^26.
    private static UInt128 NameOf(ReadOnlySpan<byte> key)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(key, hash);
        return BinaryPrimitives.ReadUInt128BigEndian(hash);
    }
}
