using System.Collections.Concurrent;
using Harness;
using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Etlx;
using Microsoft.Diagnostics.Tracing.EventPipe;
using Microsoft.Diagnostics.Tracing.Parsers;
using Microsoft.Diagnostics.Tracing.Parsers.Clr;

namespace Integration.Tests.Profiling;

public sealed class HarnessTraceTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("harness-trace-");

    private string TracePath => Path.Combine(_folder.FullName, "run.nettrace");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task Trace_Run_WritesACompleteFile()
    {
        await HarnessProcess.ReportAsync("--trace", TracePath, "--no-wait");

        int ticks = 0, samples = 0, tasks = 0, methods = 0, rundownEnds = 0;
        ConcurrentQueue<int> marks = [];
        using (EventPipeEventSource source = new(TracePath))
        {
            source.Clr.GCAllocationTick += _ => Interlocked.Increment(ref ticks);
            new SampleProfilerTraceEventParser(source).ThreadSample += _ => Interlocked.Increment(ref samples);
            new TplEtwProviderTraceEventParser(source).All += _ => Interlocked.Increment(ref tasks);
            ClrRundownTraceEventParser rundown = new(source);
            rundown.MethodDCStopVerbose += _ => Interlocked.Increment(ref methods);
            rundown.MethodDCStopComplete += _ => Interlocked.Increment(ref rundownEnds);
            source.Dynamic.All += data =>
            {
                if (data.ProviderName == HarnessEvents.ProviderName && (int)data.ID is HarnessEvents.ProcessingBeginsId or HarnessEvents.ProcessingEndsId)
                {
                    marks.Enqueue((int)data.ID);
                }
            };
            source.Process().ShouldBeTrue();
            source.EventsLost.ShouldBe(0);
        }

        // A megabyte of messages, one tick per 100 KB.
        ticks.ShouldBeGreaterThanOrEqualTo(5);
        samples.ShouldBePositive();
        tasks.ShouldBePositive();
        methods.ShouldBePositive();
        rundownEnds.ShouldBe(1);
        marks.ShouldBe([HarnessEvents.ProcessingBeginsId, HarnessEvents.ProcessingEndsId]);
        AllocatingMethods().ShouldContain(method => method.StartsWith("Quayside.Messaging.", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Trace_RunThatCannotStart_LeavesNoFile()
    {
        await using HarnessProcess harness = HarnessProcess.Start(["--trace", TracePath, "--no-wait", "--form", "Nonsense"]);

        (await harness.WaitForExitAsync()).ShouldBe(78);

        File.Exists(TracePath).ShouldBeFalse();
    }

    [Theory]
    [InlineData("/no/such/folder/run.nettrace", "cannot be written")]
    [InlineData("run.txt", "must end in .nettrace")]
    public async Task Trace_BadPath_IsAUsageErrorBeforeTheRun(string path, string message)
    {
        await using HarnessProcess harness = HarnessProcess.Start(["--trace", path]);

        (await harness.WaitForExitAsync()).ShouldBe(64);

        harness.Output.Snapshot().ShouldHaveSingleItem().Text.ShouldStartWith($"error: --trace {path}: {message}");
    }

    [Fact]
    public async Task Trace_WithExplain_IsRefused()
    {
        await using HarnessProcess harness = HarnessProcess.Start(["--trace", TracePath, "--explain"]);

        (await harness.WaitForExitAsync()).ShouldBe(64);

        harness.Output.Snapshot().ShouldHaveSingleItem().Text.ShouldStartWith("error: --explain and --trace exclude each other");
        File.Exists(TracePath).ShouldBeFalse();
    }

    /// <summary>Uses the conversion that PerfView runs when it opens the file.</summary>
    private HashSet<string> AllocatingMethods()
    {
        HashSet<string> methods = new(StringComparer.Ordinal);
        using TraceLog log = new(TraceLog.CreateFromEventPipeDataFile(TracePath));
        foreach (TraceEvent data in log.Events)
        {
            for (TraceCallStack? frame = data is GCAllocationTickTraceData ? data.CallStack() : null; frame is not null; frame = frame.Caller)
            {
                methods.Add(frame.CodeAddress.FullMethodName);
            }
        }

        return methods;
    }
}
