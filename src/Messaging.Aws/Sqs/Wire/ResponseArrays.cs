using System.Buffers;
using System.Numerics;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>
/// Arrays for answers to receives. Each is in use until its messages are settled, so thousands of messages in flight use more arrays than
/// <see cref="ArrayPool{T}.Shared"/> keeps (32 of a size per core). Other sizes than 16, 32 and 64 KiB are left to that pool.
/// </summary>
/// <param name="maxIdle">The maximum number of idle arrays of each size.</param>
internal sealed class ResponseArrays(int maxIdle) : ArrayPool<byte>
{
    private const int SmallestLog = 14;

    private readonly BoundedPool<byte[]>[] _sizes = [new(maxIdle), new(maxIdle), new(maxIdle)];

    public override byte[] Rent(int minimumLength) =>
        PoolOf(minimumLength) is { } pool && pool.TryTake(out byte[]? array) ? array : Shared.Rent(minimumLength);

    public override void Return(byte[] array, bool clearArray = false)
    {
        if (PoolOf(array.Length)?.Return(array) != true)
        {
            Shared.Return(array, clearArray);
        }
    }

    private BoundedPool<byte[]>? PoolOf(int length)
    {
        int size = BitOperations.Log2(BitOperations.RoundUpToPowerOf2((uint)length)) - SmallestLog;
        return (uint)size < (uint)_sizes.Length ? _sizes[size] : null;
    }
}
