using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Benchmarks.Sockets.Udp.Receivers;

/// <summary>
/// The limit: recvmmsg into fixed buffers, whose content is ignored. It blocks, as a first version would, or lets datagrams gather after a short batch.
/// </summary>
internal sealed class BareBatchReceiver(bool gathers) : ReceiverThread
{
    private readonly DatagramBatch _batch = new(64, 2_048);

    protected override void ReceiveForEver()
    {
        while (true)
        {
            int received = BatchCalls.Receive(Socket.SafeHandle, _batch.Headers, (uint)_batch.Count, BatchCalls.WaitForOne, timeout: 0);
            if (received < 0)
            {
                throw new Win32Exception(Marshal.GetLastPInvokeError());
            }

            Count(received);
            if (gathers && received < _batch.Count)
            {
                BatchCalls.Sleep(microseconds: 50);
            }
        }
    }
}
