using System.Buffers;
using Quayside.Pipeline.Buffers;

namespace Lab.Techniques.ThreadStatics;

/// <summary>Scratch memory of 1 KiB for the duration of a call, by where it is kept between calls.</summary>
internal static class Scratch
{
    public const int Bytes = 1_024;

    private static readonly ThreadLocal<byte[]> Local = new(static () => new byte[Bytes]);
    private static readonly AsyncLocal<byte[]?> Flowing = new();
    private static readonly BoundedPool<byte[]> Pool = new(Environment.ProcessorCount * 2);

    [ThreadStatic]
    private static byte[]? _static;

    public static int New() => Touch.FirstAndLast(new byte[Bytes]);

    public static int ThreadStatic() => Touch.FirstAndLast(_static ??= new byte[Bytes]);

    public static int ThreadLocal() => Touch.FirstAndLast(Local.Value);

    /// <summary>Flows with the call instead of staying with the thread: two concurrent branches would share the array. Included only for its cost.</summary>
    public static int AsyncLocal() => Touch.FirstAndLast(Flowing.Value ??= new byte[Bytes]);

    public static int SharedPool()
    {
        if (!Pool.TryTake(out byte[]? bytes))
        {
            bytes = new byte[Bytes];
        }

        int sum = Touch.FirstAndLast(bytes);
        Pool.Return(bytes);
        return sum;
    }

    public static int ArrayPool()
    {
        byte[] bytes = ArrayPool<byte>.Shared.Rent(Bytes);
        int sum = Touch.FirstAndLast(bytes);
        ArrayPool<byte>.Shared.Return(bytes);
        return sum;
    }
}
