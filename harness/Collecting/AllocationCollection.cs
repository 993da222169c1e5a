using System.Diagnostics.Tracing;
using Microsoft.Diagnostics.NETCore.Client;
using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Parsers;

namespace Harness.Collecting;

/// <summary>Counts every object that is allocated within the measured span, by type.</summary>
internal sealed class AllocationCollection : EventCollection
{
    // Either keyword alone samples; with both the runtime reports every object (SendObjectAllocatedEvent in
    // https://github.com/dotnet/runtime/blob/main/src/coreclr/vm/eventtrace.cpp). Without Type it omits the first object of a type.
    private const long EveryObject = (long)(ClrTraceEventParser.Keywords.GCSampledObjectAllocationHigh
        | ClrTraceEventParser.Keywords.GCSampledObjectAllocationLow | ClrTraceEventParser.Keywords.Type);

    // An event takes about 60 bytes, so the buffer holds 4 million objects that are not read yet.
    private const int BufferMegabytes = 256;

    private readonly AllocationTotals _totals = new();
    private EventPipeSession? _startup;
    private EventPipeSession? _session;
    private Task _reading = Task.CompletedTask;
    private bool _began;
    private bool _ended;
    private int _eventsLost;

    /// <summary>
    /// The runtime reports objects only if a listener requested it before the runtime chose its allocation helpers, at its start. Later listeners may connect
    /// at any time.
    /// </summary>
    public override async Task OnSuspendedAsync(DiagnosticsClient client, CancellationToken cancellationToken)
    {
        _startup = await StartAsync(client, [Runtime()], BufferMegabytes, rundown: false, stacks: false, cancellationToken);
        _reading = _startup.EventStream.CopyToAsync(Stream.Null, cancellationToken);
    }

    public override Task OnRunningAsync(CancellationToken cancellationToken) => StopAsync(_startup!, _reading, cancellationToken);

    public override async Task OnBeginAsync(DiagnosticsClient client, CancellationToken cancellationToken)
    {
        EventPipeProvider[] providers = [Runtime(), new(HarnessEvents.ProviderName, EventLevel.Informational)];
        _session = await StartAsync(client, providers, BufferMegabytes, rundown: false, stacks: false, cancellationToken);
        _reading = Task.Factory.StartNew(Read, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    public override async Task<CollectedAllocations> OnEndAsync(CancellationToken cancellationToken)
    {
        await StopAsync(_session!, _reading, cancellationToken);
        return _began && _ended
            ? new CollectedAllocations(_eventsLost, _totals.ToTypes())
            : throw new InvalidDataException("The events lack the marks of the measured span's start and end.");
    }

    public override void Dispose()
    {
        _startup?.Dispose();
        _session?.Dispose();
    }

    private static EventPipeProvider Runtime() => new(ClrTraceEventParser.ProviderName, EventLevel.Informational, EveryObject);

    private void Read()
    {
        using EventPipeEventSource source = new(_session!.EventStream);
        source.Clr.GCSampledObjectAllocation += data =>
        {
            if (!_ended)
            {
                _totals.Add((ulong)data.TypeID, data.ThreadID, data.TotalSizeForTypeSample, data.ObjectCountForTypeSample, measured: _began);
            }
        };
        source.Dynamic.All += data =>
        {
            if (data.ProviderName == HarnessEvents.ProviderName)
            {
                _began |= (int)data.ID == HarnessEvents.ProcessingBeginsId;
                _ended |= (int)data.ID == HarnessEvents.ProcessingEndsId;
            }
        };
        source.Process();
        _eventsLost = source.EventsLost;
    }
}
