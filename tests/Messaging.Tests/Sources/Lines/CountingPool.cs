using System.Buffers;

namespace Messaging.Tests.Sources.Lines;

/// <summary>Records the peak of rented bytes. Threads: one.</summary>
internal sealed class CountingPool : ArrayPool<byte>
{
    private long _rented;

    public long MaxRented { get; private set; }

    public override byte[] Rent(int minimumLength)
    {
        _rented += minimumLength;
        MaxRented = Math.Max(MaxRented, _rented);
        return new byte[minimumLength];
    }

    public override void Return(byte[] array, bool clearArray = false) => _rented -= array.Length;
}
