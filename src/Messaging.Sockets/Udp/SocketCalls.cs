using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Quayside.Messaging.Sockets.Udp;

/// <summary>
/// recvmmsg(2), which .NET 10 does not offer, and nanosleep(2), because .NET's own sleeps last at least a millisecond. The structures are those of Linux;
/// musl's differ only in padding, which is zero here.
/// </summary>
[SupportedOSPlatform("linux")]
internal static class SocketCalls
{
    /// <summary>MSG_DONTWAIT: this call does not wait, whatever the socket's mode.</summary>
    public const int DoNotWait = 0x40;

    /// <summary>MSG_TRUNC: the length of a datagram is that which was sent, though its buffer is shorter.</summary>
    public const int Truncated = 0x20;

    public const int Eintr = 4;
    public const int Eagain = 11;

    /// <summary>struct iovec.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct Buffer
    {
        public nint Address;
        public nuint Length;
    }

    /// <summary>struct msghdr.</summary>
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

    /// <summary>struct mmsghdr: the message and the length received.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct Header
    {
        public Message Message;
        public uint Length;
    }

    /// <summary>struct timespec, of 64-bit systems.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct Time
    {
        public nint Seconds;
        public nint Nanoseconds;
    }

    /// <summary>Receives into pinned headers.</summary>
    /// <returns>Datagrams received, or -1 with the errno in <see cref="Marshal.GetLastPInvokeError"/>.</returns>
    [DllImport("libc", EntryPoint = "recvmmsg", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern int ReceiveMany(SafeSocketHandle socket, nint headers, uint count, int flags, nint timeout);

    /// <summary>Waits for this time plus the timer slack of the kernel.</summary>
    [DllImport("libc", EntryPoint = "nanosleep")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern int Sleep(in Time time, nint remaining);
}
