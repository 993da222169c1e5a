using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Benchmarks.Sockets.Udp;

/// <summary>The system calls of sender and bare receiver, with structures of their own: the limit must not share the code that is compared with it.</summary>
internal static class BatchCalls
{
    /// <summary>MSG_WAITFORONE: waits for the first datagram only.</summary>
    public const int WaitForOne = 0x10000;

    [StructLayout(LayoutKind.Sequential)]
    public struct Buffer
    {
        public nint Address;
        public nuint Length;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Message
    {
        public nint Name;
        public uint NameLength;
        public nint Buffers;
        public nuint BufferCount;
        public nint Control;
        public nuint ControlLength;
        public int Flags;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Header
    {
        public Message Message;
        public uint Length;
    }

    [DllImport("libc", EntryPoint = "recvmmsg", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern int Receive(SafeSocketHandle socket, nint headers, uint count, int flags, nint timeout);

    [DllImport("libc", EntryPoint = "sendmmsg", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern int Send(SafeSocketHandle socket, nint headers, uint count, int flags);

    [DllImport("libc", EntryPoint = "usleep")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern int Sleep(uint microseconds);
}
