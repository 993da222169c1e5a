using System.Buffers;

namespace Messaging.Tests.Elasticsearch.BulkResponses;

/// <summary>Rents new arrays and records the largest length.</summary>
internal sealed class WatchingPool : ArrayPool<byte>
{
    public int Largest { get; private set; }

    public override byte[] Rent(int minimumLength)
    {
        Largest = Math.Max(Largest, minimumLength);
        return new byte[minimumLength];
    }

    public override void Return(byte[] array, bool clearArray = false)
    {
    }
}
