namespace Benchmarks.Tests;

public sealed class ProcessMemoryTests
{
    [Fact]
    public void Parse_StatusOfAProcess_IsInMiB() =>
        ProcessMemory
            .Parse(["Name:\tWorker", "VmHWM:\t   68608 kB", "VmRSS:\t   67584 kB", "RssAnon:\t   36864 kB", "RssFile:\t   30720 kB"])
            .ShouldBe(new ProcessMemory(66, 67, 30));

    [Fact]
    public void Of_ThisProcess_HasAPeakOfAtLeastWhatItUses()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "/proc is Linux's");

        ProcessMemory memory = ProcessMemory.Of(Environment.ProcessId);

        memory.FileMiB.ShouldBeGreaterThan(0);
        memory.PeakMiB.ShouldBeGreaterThan(memory.FileMiB);
    }
}
