using System.Buffers;

namespace Quayside.Messaging.Testing;

/// <summary>
/// An array pool that overwrites each array when it is returned and never hands it out again, so that code that uses bytes after their return
/// sees wrong bytes. Returning an array twice, or one that is not rented, throws. Threads: any.
/// </summary>
public sealed class PoisoningArrayPool : ArrayPool<byte>
{
    /// <summary>The value of every byte of an array that is not written yet, or was returned.</summary>
    public const byte Poison = 0xDD;

    private readonly Lock _gate = new();
    private readonly HashSet<byte[]> _rented = new(ReferenceEqualityComparer.Instance);

    /// <inheritdoc/>
    public override byte[] Rent(int minimumLength)
    {
        // Longer than asked for, as real pools do, and full of bytes that no code may read.
        byte[] array = GC.AllocateUninitializedArray<byte>(minimumLength + 7);
        array.AsSpan().Fill(Poison);
        lock (_gate)
        {
            _rented.Add(array);
        }

        return array;
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The array is not rented.</exception>
    public override void Return(byte[] array, bool clearArray = false)
    {
        ArgumentNullException.ThrowIfNull(array);
        lock (_gate)
        {
            if (!_rented.Remove(array))
            {
                throw new InvalidOperationException("The array that was returned is not rented.");
            }
        }

        array.AsSpan().Fill(Poison);
    }
}
