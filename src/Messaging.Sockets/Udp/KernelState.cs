namespace Messaging.Sockets.Udp;

/// <summary>What the kernel says of a socket.</summary>
/// <param name="Bytes">Memory of the datagrams that wait, the kernel's own structures included.</param>
/// <param name="Drops">Datagrams dropped since the socket was opened; wraps at 2^32.</param>
internal readonly record struct KernelState(long Bytes, long Drops);
