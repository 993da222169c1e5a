namespace Benchmarks.Sockets.Receiving;

/// <summary>One round of one receiver.</summary>
/// <param name="PerSecond">Messages received per second.</param>
/// <param name="CpuMicroseconds">Processor time of the receiver per message.</param>
/// <param name="Bytes">Bytes the receiver allocated per message.</param>
/// <param name="SentPerSecond">Messages sent per second.</param>
internal sealed record ReceivingRound(double PerSecond, double CpuMicroseconds, double Bytes, double SentPerSecond)
{
    public static ReceivingRound Between((ReceiverSample Receiver, ReceiverSample Sender) begin, (ReceiverSample Receiver, ReceiverSample Sender) end)
    {
        long received = end.Receiver.Messages - begin.Receiver.Messages;
        double seconds = end.Receiver.Seconds - begin.Receiver.Seconds;
        return new ReceivingRound(
            received / seconds,
            (end.Receiver.CpuSeconds - begin.Receiver.CpuSeconds) * 1e6 / Math.Max(received, 1),
            (double)(end.Receiver.Bytes - begin.Receiver.Bytes) / Math.Max(received, 1),
            (end.Sender.Messages - begin.Sender.Messages) / (end.Sender.Seconds - begin.Sender.Seconds));
    }
}
