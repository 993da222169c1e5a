using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Net.Sockets;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Sockets.Udp;

/// <content>Receiving, on a dedicated thread: first a slot, then a datagram for it.</content>
internal sealed partial class UdpMessageSource
{
    // The minimum that Linux counts for a datagram beyond its bytes: struct sk_buff and struct skb_shared_info, 576 bytes on 64-bit systems. A smaller number
    // only reads some datagrams that arrived later; a larger one would leave some that are due.
    private const int KernelBytesPerDatagram = 512;

    // How long an idle receiver may take to notice a stop.
    private static readonly TimeSpan StopInterval = TimeSpan.FromMilliseconds(100);

    private Task ReceiveOnOwnThreadAsync(IMessageIntake intake, CancellationToken stop) => OnOwnThread(() =>
    {
        try
        {
            Receive(intake, stop);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
        }
    });

    private static Task OnOwnThread(Action loop) => Task.Factory.StartNew(loop, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private void Receive(IMessageIntake intake, CancellationToken stop)
    {
        Socket socket = _socket!.Socket;
        while (!stop.IsCancellationRequested)
        {
            if (_inMemory.IsFull)
            {
                _wait.For(WaitForSpaceAsync(stop));
            }
            else if (socket.Poll(StopInterval, SelectMode.SelectRead))
            {
                // A full batch is followed by another immediately; a short one means that the kernel's buffer is empty.
                while (ReceiveBatch(intake, stop, out _, out _) && !stop.IsCancellationRequested && !_inMemory.IsFull)
                {
                }

                _receiver!.LetGather();
            }
        }
    }

    private async ValueTask<bool> WaitForSpaceAsync(CancellationToken stop)
    {
        await _inMemory.WaitForSpaceAsync(stop);
        return true;
    }

    /// <summary>After receiving has stopped, reads the datagrams in the kernel's buffer, but not those that keep arriving.</summary>
    private void TakeOverKernelBuffer(IMessageIntake intake, CancellationToken stopDraining)
    {
        try
        {
            // The kernel's figure includes its own structures; the size of the buffer, used where there is no figure, does not.
            KernelState? state = _socket!.KernelState;
            long left = state?.Bytes ?? _socket.ReceiveBuffer;
            int overhead = state is null ? 0 : KernelBytesPerDatagram;
            while (left > 0 && _socket.Socket.Poll(TimeSpan.Zero, SelectMode.SelectRead))
            {
                _wait.For(WaitForSpaceAsync(stopDraining));
                ReceiveBatch(intake, stopDraining, out int received, out int bytes);
                left -= bytes + (received * overhead);
            }
        }
        catch (Exception exception) when (exception is Win32Exception || stopDraining.IsCancellationRequested)
        {
            // The rest is lost; CloseAsync logs it.
        }
    }

    /// <returns>True when more may be waiting.</returns>
    private bool ReceiveBatch(IMessageIntake intake, CancellationToken stop, out int received, out int bytes)
    {
        received = 0;
        bytes = 0;
        using SlotLease slots = _wait.For(intake.ReserveAsync(1, _receiver!.BatchSize, stop));
        int wanted = slots.Count;
        received = _receiver.Receive(wanted);
        DateTimeOffset now = received > 0 ? _time.GetUtcNow() : default;
        for (int i = 0; i < received; i++)
        {
            bytes += Math.Max(_receiver[i].Bytes.Length, 1);
            if (TryOpen(i, now, out DatagramMessage? message))
            {
                message.BeginDelivery();
                slots.Accept(message);
            }
        }

        return received == wanted;
    }

    private bool TryOpen(int index, DateTimeOffset now, [NotNullWhen(true)] out DatagramMessage? message)
    {
        Datagram datagram = _receiver![index];
        ReadOnlySpan<byte> body = datagram.Bytes;
        message = null;
        if (datagram.IsTruncated)
        {
            Dropped(index, datagram.Length, TooLargeReason, TooLargeAdvice);
            return false;
        }

        if (_options.Checksum == UdpChecksum.Verify && !Fletcher32.TryVerify(datagram.Bytes, out body))
        {
            Dropped(index, datagram.Length, ChecksumReason, ChecksumAdvice);
            return false;
        }

        message = _inMemory.Take();
        message.Open(body, _buffers, now);
        return true;
    }

    private void Dropped(int index, int bytes, string reason, string advice)
    {
        _routeMetrics?.InputDropped(3402, Source, reason, advice, isLost: true, lostBytes: bytes);
        if (_dropLog.ShouldLog(out SuppressedLines suppressed))
        {
            UdpLog.Dropped(_logger, _route, _receiver!.SenderOf(index), reason, advice, suppressed);
        }
    }
}
