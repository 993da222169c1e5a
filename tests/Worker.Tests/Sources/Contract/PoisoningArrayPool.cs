using System.Buffers;

namespace Worker.Tests.Sources.Contract;

/// <summary>
/// Overwrites every array that comes back and never hands it out again, so that bytes used after their return are seen as
/// wrong bytes; an array returned twice or never rented throws.
/// </summary>
internal sealed class PoisoningArrayPool : ArrayPool<byte>
{
    public const byte Poison = 0xDD;

    private readonly Lock _gate = new();
    private readonly HashSet<byte[]> _rented = new(ReferenceEqualityComparer.Instance);

    public override byte[] Rent(int minimumLength)
    {
        // Longer than asked for, as real pools do, and full of what must never be seen.
        byte[] array = GC.AllocateUninitializedArray<byte>(minimumLength + 7);
        array.AsSpan().Fill(Poison);
        lock (_gate)
        {
            _rented.Add(array);
        }

        return array;
    }

    public override void Return(byte[] array, bool clearArray = false)
    {
        lock (_gate)
        {
            if (!_rented.Remove(array))
            {
                throw new InvalidOperationException("An array was returned that is not rented.");
            }
        }

        array.AsSpan().Fill(Poison);
    }
}
