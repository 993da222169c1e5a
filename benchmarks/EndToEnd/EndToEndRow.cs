using Benchmarks.EndToEnd.Clients;

namespace Benchmarks.EndToEnd;

/// <summary>One client on one amount of work: the median pass by processor time.</summary>
/// <param name="Client">The client.</param>
/// <param name="InFlight">Messages in flight.</param>
/// <param name="Messages">Messages of a pass.</param>
/// <param name="Passes">Passes measured.</param>
/// <param name="MessagesPerSecond">From the first delivery to the last delete, as the server saw it; limited because server and client share the
/// machine.</param>
/// <param name="CpuMicroseconds">Processor time of the client's process per message, user and kernel.</param>
/// <param name="Bytes">Bytes allocated per message, all threads.</param>
/// <param name="Gen0">Collections of that generation.</param>
/// <param name="Gen1">The same.</param>
/// <param name="Gen2">The same.</param>
/// <param name="PauseMilliseconds">Time in which collections stopped the process.</param>
/// <param name="P50">Median milliseconds from delivery to delete.</param>
/// <param name="P99">99th percentile of the same.</param>
/// <param name="Calls">SQS calls per thousand messages.</param>
/// <param name="PeakMiB">The most resident memory of the client's process since its start, at the end of the last pass.</param>
/// <param name="CpuMicrosecondsOfPasses">Processor time per message of every pass, in their order: pass by pass, clients met the same disturbances.</param>
internal sealed record EndToEndRow(
    ClientKind Client,
    int InFlight,
    int Messages,
    int Passes,
    double MessagesPerSecond,
    double CpuMicroseconds,
    double Bytes,
    int Gen0,
    int Gen1,
    int Gen2,
    double PauseMilliseconds,
    double P50,
    double P99,
    double Calls,
    double PeakMiB,
    IReadOnlyList<double> CpuMicrosecondsOfPasses)
{
    public double MessagesPerCpuSecond => 1e6 / CpuMicroseconds;
}
