using System.Buffers.Binary;

namespace Integration.Tests.Telemetry;

/// <summary>Reads one message of Protocol Buffers field by field (https://protobuf.dev/programming-guides/encoding).</summary>
internal ref struct ProtobufReader(ReadOnlySpan<byte> message)
{
    private ReadOnlySpan<byte> _rest = message;

    /// <summary>The number of the current field.</summary>
    public int Field { get; private set; }

    /// <summary>The field's value, for a number.</summary>
    public ulong Number { get; private set; }

    /// <summary>The field's value, for text, bytes or a message.</summary>
    public ReadOnlySpan<byte> Bytes { get; private set; }

    /// <summary>Reads the next field; false at the end.</summary>
    /// <exception cref="InvalidDataException">The bytes are no message.</exception>
    public bool Read()
    {
        if (_rest.IsEmpty)
        {
            return false;
        }

        ulong tag = ReadVarint();
        Field = (int)(tag >> 3);
        switch (tag & 7)
        {
            case 0:
                Number = ReadVarint();
                break;
            case 1:
                Number = BinaryPrimitives.ReadUInt64LittleEndian(Take(8));
                break;
            case 2:
                Bytes = Take((int)ReadVarint());
                break;
            case 5:
                Number = BinaryPrimitives.ReadUInt32LittleEndian(Take(4));
                break;
            default:
                throw new InvalidDataException($"Wire type {tag & 7}.");
        }

        return true;
    }

    private ulong ReadVarint()
    {
        ulong value = 0;
        for (int shift = 0; shift < 64; shift += 7)
        {
            byte next = Take(1)[0];
            value |= (ulong)(next & 0x7f) << shift;
            if (next < 0x80)
            {
                return value;
            }
        }

        throw new InvalidDataException("A number has more than 64 bits.");
    }

    private ReadOnlySpan<byte> Take(int count)
    {
        if (count < 0 || count > _rest.Length)
        {
            throw new InvalidDataException("The message ends within a field.");
        }

        ReadOnlySpan<byte> taken = _rest[..count];
        _rest = _rest[count..];
        return taken;
    }
}
