using System.Runtime.CompilerServices;

namespace Lab.Techniques;

/// <summary>The use made of every buffer: its first and last byte are written and read, without inlining.</summary>
internal static class Touch
{
    public const int Sum = 3;

    /// <returns><see cref="Sum"/>, for a buffer of at least two bytes.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int FirstAndLast(Span<byte> bytes)
    {
        bytes[0] = 1;
        bytes[^1] = 2;
        return bytes[0] + bytes[^1];
    }
}
