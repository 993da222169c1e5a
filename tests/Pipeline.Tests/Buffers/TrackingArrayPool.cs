using System.Buffers;

namespace Pipeline.Tests.Buffers;

/// <summary>An array pool that tracks rented arrays, rents exactly the requested length, and overwrites returned arrays.</summary>
internal sealed class TrackingArrayPool : ArrayPool<byte>
{
    private readonly HashSet<byte[]> _rented = [];

    public int Outstanding => _rented.Count;

    public List<int> Requests { get; } = [];

    public override byte[] Rent(int minimumLength)
    {
        Requests.Add(minimumLength);
        byte[] array = new byte[minimumLength];
        _rented.Add(array);
        return array;
    }

    public override void Return(byte[] array, bool clearArray = false)
    {
        _rented.Remove(array).ShouldBeTrue("an array was returned twice, or is from another pool");
        array.AsSpan().Fill(0xEE);
    }
}
