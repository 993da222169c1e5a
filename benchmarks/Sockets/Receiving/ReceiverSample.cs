namespace Benchmarks.Sockets.Receiving;

/// <summary>The messages that a process has received or sent since it started, and their cost.</summary>
/// <param name="Seconds">The time of its clock.</param>
/// <param name="Messages">Messages received or sent.</param>
/// <param name="Bytes">Bytes allocated.</param>
/// <param name="CpuSeconds">Processor time, user and kernel.</param>
internal readonly record struct ReceiverSample(double Seconds, long Messages, long Bytes, double CpuSeconds);
