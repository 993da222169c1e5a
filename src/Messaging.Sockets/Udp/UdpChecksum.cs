namespace Messaging.Sockets.Udp;

/// <summary>What is done about a datagram's Fletcher-32 checksum.</summary>
internal enum UdpChecksum
{
    /// <summary>The datagram is the message; nothing is computed.</summary>
    None = 0,

    /// <summary>The datagram is the message; its checksum is computed and goes with it as the attribute <c>fletcher32</c>.</summary>
    Compute,

    /// <summary>The datagram ends with the checksum of what is before it; it is verified and taken off, and a wrong one drops the datagram.</summary>
    Verify,
}
