using System.Runtime.InteropServices;

namespace Lab.Techniques.NativeBuffers;

/// <summary>Memory outside the collector's heap. The handle frees it once, even when its owner was never disposed.</summary>
internal sealed unsafe class NativeBlock : SafeHandle
{
    /// <param name="bytes">At least 1; the bytes are not cleared.</param>
    /// <exception cref="OutOfMemoryException">The system has no more memory.</exception>
    public NativeBlock(int bytes)
        : base(nint.Zero, ownsHandle: true)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bytes);
        SetHandle((nint)NativeMemory.Alloc((nuint)bytes));
        Bytes = bytes;
    }

    public int Bytes { get; }

    public override bool IsInvalid => handle == nint.Zero;

    public byte* Pointer => (byte*)handle;

    protected override bool ReleaseHandle()
    {
        NativeMemory.Free((void*)handle);
        return true;
    }
}
