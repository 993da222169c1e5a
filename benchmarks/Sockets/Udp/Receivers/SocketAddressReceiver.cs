using System.Net;
using System.Net.Sockets;
using Quayside.Messaging.Sockets.Udp;

namespace Benchmarks.Sockets.Udp.Receivers;

/// <summary>What .NET offers without a direct system call: a blocking ReceiveFrom that allocates nothing, and the same checksum as the worker's.</summary>
internal sealed class SocketAddressReceiver : ReceiverThread
{
    protected override void ReceiveForEver()
    {
        byte[] buffer = GC.AllocateArray<byte>(2_048, pinned: true);
        SocketAddress sender = new(AddressFamily.InterNetwork);
        while (true)
        {
            int length = Socket.ReceiveFrom(buffer, SocketFlags.None, sender);
            if (Fletcher32.TryVerify(buffer.AsSpan(0, length), out _))
            {
                Count(1);
            }
        }
    }
}
