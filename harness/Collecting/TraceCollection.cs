using System.Diagnostics.Tracing;
using Microsoft.Diagnostics.NETCore.Client;
using Microsoft.Diagnostics.Tracing.Parsers;
using Quayside.Messaging.Configuration;

namespace Harness.Collecting;

/// <summary>Writes the events of the measured span to a file that PerfView and Visual Studio can open.</summary>
internal sealed class TraceCollection : EventCollection
{
    public const string Extension = ".nettrace";

    // The same value as in dotnet-trace.
    private const int BufferMegabytes = 256;

    // GC at the verbose level gives an allocation tick per 100 KB, with its stack; Loader, Jit and NGen give the symbols.
    private const ClrTraceEventParser.Keywords RuntimeKeywords =
        ClrTraceEventParser.Keywords.GC | ClrTraceEventParser.Keywords.Type | ClrTraceEventParser.Keywords.Loader | ClrTraceEventParser.Keywords.Jit
        | ClrTraceEventParser.Keywords.NGen | ClrTraceEventParser.Keywords.Contention | ClrTraceEventParser.Keywords.Exception
        | ClrTraceEventParser.Keywords.Threading;

    // TplEventSource.Keywords: TaskTransfer, Tasks, TaskStops, TasksFlowActivityIds.
    private const long TaskKeywords = 0x1 | 0x2 | 0x40 | 0x80;

    private readonly FileStream _file;
    private EventPipeSession? _session;
    private Task _reading = Task.CompletedTask;

    private TraceCollection(FileStream file) => _file = file;

    /// <exception cref="StartupException">The file cannot be written; nothing has run yet.</exception>
    public static TraceCollection Create(string path)
    {
        if (!path.EndsWith(Extension, StringComparison.OrdinalIgnoreCase))
        {
            throw new StartupException($"--trace {path}: must end in {Extension}, by which PerfView and Visual Studio recognise the format.", ExitCodes.Usage);
        }

        try
        {
            return new TraceCollection(new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.Read));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new StartupException($"--trace {path}: cannot be written: {exception.Message}", ExitCodes.Usage, exception);
        }
    }

    public override async Task OnBeginAsync(DiagnosticsClient client, CancellationToken cancellationToken)
    {
        EventPipeProvider[] providers =
        [
            new(ClrTraceEventParser.ProviderName, EventLevel.Verbose, (long)RuntimeKeywords),
            new("Microsoft-DotNETCore-SampleProfiler", EventLevel.Informational),
            new(TplEtwProviderTraceEventParser.ProviderName, EventLevel.Informational, TaskKeywords),
            new(HarnessEvents.ProviderName, EventLevel.Informational),
        ];
        _session = await StartAsync(client, providers, BufferMegabytes, rundown: true, stacks: true, cancellationToken);
        _reading = _session.EventStream.CopyToAsync(_file, cancellationToken);
    }

    public override async Task<CollectedAllocations> OnEndAsync(CancellationToken cancellationToken)
    {
        await StopAsync(_session!, _reading, cancellationToken);
        await _file.FlushAsync(cancellationToken);
        return CollectedAllocations.None;
    }

    public override void Dispose()
    {
        _session?.Dispose();
        bool isEmpty = _file.Length == 0;
        _file.Dispose();

        // The run ended before the trace began.
        if (isEmpty)
        {
            File.Delete(_file.Name);
        }
    }
}
