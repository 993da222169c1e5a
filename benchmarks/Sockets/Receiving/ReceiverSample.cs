namespace Benchmarks.Sockets.Receiving;

/// <summary>What a process has received, or sent, and spent since it started.</summary>
/// <param name="Seconds">Its clock.</param>
/// <param name="Messages">Messages received or sent.</param>
/// <param name="Bytes">Bytes allocated.</param>
/// <param name="CpuSeconds">Processor time, user and kernel.</param>
internal readonly record struct ReceiverSample(double Seconds, long Messages, long Bytes, double CpuSeconds);
