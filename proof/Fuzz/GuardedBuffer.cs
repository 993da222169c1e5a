using System.Buffers;
using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Proof.Fuzz;

/// <summary>
/// Memory that ends at an unreadable page: a parser that reads past its input ends the process. The memory is a file, so that the input
/// outlives the process.
/// </summary>
internal sealed unsafe class GuardedBuffer : MemoryManager<byte>
{
    private readonly FileStream _file;
    private readonly byte* _start;
    private readonly int _size;
    private int _length;

    /// <param name="path">The file: the input is its last bytes, after a length of 4 bytes (little-endian) at its start.</param>
    /// <param name="capacity">The longest input in bytes.</param>
    public GuardedBuffer(string path, int capacity)
    {
        int page = Environment.SystemPageSize;
        _size = ((capacity + sizeof(int) + page - 1) / page) * page;
        _file = new FileStream(path, FileMode.Create, FileAccess.ReadWrite, FileShare.Read);
        _file.SetLength(_size + page);
        _start = Map(null, (nuint)(_size + page), ReadWrite, Shared, (int)_file.SafeFileHandle.DangerousGetHandle(), 0);
        if (_start == (byte*)-1 || Protect(_start + _size, (nuint)page, NoAccess) != 0)
        {
            throw new Win32Exception(Marshal.GetLastPInvokeError(), "Guarded memory could not be mapped");
        }
    }

    private const int NoAccess = 0;
    private const int ReadWrite = 3;
    private const int Shared = 1;

    /// <summary>Copies an input into the buffer.</summary>
    public void Set(ReadOnlySpan<byte> input)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(input.Length, _size - sizeof(int), nameof(input));
        _length = input.Length;
        *(int*)_start = _length;
        input.CopyTo(GetSpan());
    }

    /// <summary>The content, which ends where readable memory ends.</summary>
    public override Span<byte> GetSpan() => new(_start + _size - _length, _length);

    /// <summary>The input that a process left in its file.</summary>
    /// <exception cref="InvalidDataException">Another file.</exception>
    public static byte[] Read(string path)
    {
        byte[] file = File.ReadAllBytes(path);
        int end = file.Length - Environment.SystemPageSize;
        return end > sizeof(int) && BitConverter.ToInt32(file) is >= 0 and var length && length <= end - sizeof(int)
            ? file[(end - length)..end]
            : throw new InvalidDataException("not a file that a crash of this command left");
    }

    public override MemoryHandle Pin(int elementIndex = 0) => new(_start + _size - _length + elementIndex);

    public override void Unpin()
    {
    }

    protected override void Dispose(bool disposing)
    {
        _file.Dispose();
        File.Delete(_file.Name);
    }

    [DllImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static extern byte* Map(void* address, nuint length, int protection, int flags, int file, nint offset);

    [DllImport("libc", EntryPoint = "mprotect", SetLastError = true)]
    private static extern int Protect(void* address, nuint length, int protection);
}
