using System.Diagnostics.Tracing;
using Harness.Collecting;

namespace Harness.Recording;

/// <summary>Records the garbage collector's pauses and, if requested, its allocation ticks, from the runtime's events in this process.</summary>
internal sealed class RuntimeEvents : EventListener
{
    private const string Provider = "Microsoft-Windows-DotNETRuntime";
    private const EventKeywords GcKeyword = (EventKeywords)0x1;

    // The reasons of GCSuspendEE for a collection; others come from a debugger or the tiered compiler.
    private const uint ForGc = 1;
    private const uint ForGcPreparation = 6;

    // A thread of the runtime delivers events to the listener; the limit allows for a loaded machine.
    private static readonly TimeSpan DeliveryLimit = TimeSpan.FromSeconds(5);

    private readonly Lock _lock = new();
    private readonly List<(DateTime Begin, DateTime End)> _pauses = [];
    private readonly Dictionary<ulong, (long Bytes, long Count)> _types = [];
    private DateTime _from = DateTime.MaxValue;
    private DateTime _to = DateTime.MaxValue;
    private DateTime? _suspended;

    /// <param name="samplesAllocations">True to record allocation ticks, one per 100 KB: the verbose level of the keyword GC.</param>
    public RuntimeEvents(bool samplesAllocations)
    {
        foreach (EventSource source in EventSource.GetSources().Where(source => source.Name == Provider))
        {
            EnableEvents(source, samplesAllocations ? EventLevel.Verbose : EventLevel.Informational, GcKeyword);
        }
    }

    /// <summary>Starts the span.</summary>
    public void Begin() => _from = DateTime.UtcNow;

    /// <summary>Ends the span and waits until its events have arrived.</summary>
    public (IReadOnlyList<GcPause> Pauses, IReadOnlyList<CollectedType> Types) End()
    {
        _to = DateTime.UtcNow;

        // Events arrive in order: once the events of this collection are here, so are all earlier ones.
        GC.Collect(0);
        SpinWait.SpinUntil(HasLaterPause, DeliveryLimit);
        lock (_lock)
        {
            return (
                [.. _pauses
                    .Where(pause => pause.Begin >= _from && pause.Begin <= _to)
                    .Select(
                        pause => new GcPause(Math.Round((pause.Begin - _from).TotalSeconds, 4), Math.Round((pause.End - pause.Begin).TotalMilliseconds, 3)))],
                [.. _types.Select(type => new CollectedType(type.Key, type.Value.Bytes, type.Value.Count))]);
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        lock (_lock)
        {
            switch (eventData.EventName?.Split('_')[0])
            {
                case "GCSuspendEEBegin" when Convert.ToUInt32(eventData.Payload![0]) is ForGc or ForGcPreparation:
                    _suspended = eventData.TimeStamp;
                    break;
                // Not the end of the restart, which a preempted thread reports late on a busy machine. The runtime's own total ends here too.
                case "GCRestartEEBegin" when _suspended is { } begin:
                    _pauses.Add((begin, eventData.TimeStamp));
                    _suspended = null;
                    break;
                case "GCAllocationTick" when eventData.TimeStamp >= _from && eventData.TimeStamp <= _to:
                    // Version 4: amount in 32 bits, kind, runtime, amount in 64 bits, type.
                    ulong type = eventData.Payload![4] is nint address ? (ulong)address : Convert.ToUInt64(eventData.Payload[4]);
                    (long bytes, long count) = _types.GetValueOrDefault(type);
                    _types[type] = (bytes + Convert.ToInt64(eventData.Payload[3]), count + 1);
                    break;
            }
        }
    }

    private bool HasLaterPause()
    {
        lock (_lock)
        {
            return _pauses.Count > 0 && _pauses[^1].Begin > _to;
        }
    }
}
