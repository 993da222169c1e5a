namespace Messaging.Sockets.Udp;

/// <summary>How datagrams are taken from the kernel.</summary>
internal enum UdpReceiving
{
    /// <summary>In batches where the system can, else one by one.</summary>
    Auto = 0,

    /// <summary>In batches, by recvmmsg(2): Linux.</summary>
    Batch,

    /// <summary>One by one, by <see cref="System.Net.Sockets.Socket"/>: everywhere.</summary>
    Portable,
}
