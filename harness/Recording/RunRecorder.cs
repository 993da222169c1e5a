using Harness.Collecting;
using Harness.Pages;

namespace Harness.Recording;

/// <summary>Takes one run's <see cref="RunRecord"/>.</summary>
internal sealed class RunRecorder : IDisposable
{
    private readonly RuntimeEvents _events;
    private readonly LatencyCounter _latency = new();
    private readonly Func<long> _countDone;
    private ThroughputSampler? _throughput;

    /// <param name="countDone">Counts the processed messages.</param>
    /// <param name="samplesAllocations">False when every object is counted anyway.</param>
    public RunRecorder(Func<long> countDone, bool samplesAllocations)
    {
        _countDone = countDone;
        _events = new RuntimeEvents(samplesAllocations);
    }

    public void Begin()
    {
        _throughput = new ThroughputSampler(_countDone);
        _events.Begin();
    }

    /// <summary>Ends the span; the caller adds the settings.</summary>
    public RunRecord End()
    {
        (double binSeconds, IReadOnlyList<double> rates) = _throughput!.End();
        (IReadOnlyList<GcPause> pauses, IReadOnlyList<CollectedType> types) = _events.End();
        AllocationTable sampled = AllocationTable.Create(new CollectedAllocations(0, types));
        return new RunRecord(
            MachineInfo.Current(), new Dictionary<string, string>(StringComparer.Ordinal), binSeconds, rates, pauses, _latency.ToBuckets(), sampled.Rows);
    }

    public void Dispose()
    {
        _events.Dispose();
        _latency.Dispose();
    }
}
