using System.Net.Sockets;
using Quayside.Messaging.Sockets.Udp;

namespace Benchmarks.Sockets.Udp.Receivers;

/// <summary>The worker's receiver alone: waits, receives, verifies, hands over to a counter.</summary>
internal sealed class EngineReceiver(bool isPortable) : ReceiverThread
{
    protected override void ReceiveForEver()
    {
        IDatagramReceiver receiver = !isPortable && OperatingSystem.IsLinux()
            ? new BatchReceiver(Socket, 65_507)
            : new PortableReceiver(Socket, 65_507);
        while (true)
        {
            Socket.Poll(TimeSpan.FromMilliseconds(100), SelectMode.SelectRead);
            int received;
            do
            {
                received = receiver.Receive(receiver.BatchSize);
                int good = 0;
                for (int i = 0; i < received; i++)
                {
                    Datagram datagram = receiver[i];
                    if (!datagram.IsTruncated && Fletcher32.TryVerify(datagram.Bytes, out _))
                    {
                        good++;
                    }
                }

                Count(good);
            }
            while (received == receiver.BatchSize);

            receiver.LetGather();
        }
    }
}
