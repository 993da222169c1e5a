namespace Integration.Tests.Processes;

public sealed class OrphanGuardTests
{
    public OrphanGuardTests() => Assert.SkipWhen(OperatingSystem.IsWindows(), "needs a POSIX shell and signals");

    [Fact]
    public async Task Dispose_PipeCloses_KillsTheGuardedAndSparesTheReleased()
    {
        var guard = new OrphanGuard();
        await using CapturedProcess left = CapturedProcess.Start("sleep", "100");
        await using CapturedProcess released = CapturedProcess.Start("sleep", "100");
        guard.Guard(left.Id);
        guard.Guard(released.Id);
        guard.Release(released.Id);

        guard.Dispose();

        (await left.WaitForExitAsync()).ShouldBe(128 + 9);
        released.HasExited.ShouldBeFalse();
    }
}
