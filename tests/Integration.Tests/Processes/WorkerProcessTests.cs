namespace Integration.Tests.Processes;

public sealed class WorkerProcessTests
{
    [Fact]
    public async Task Start_Version_RunsTheRealWorkerInAFolderOfItsOwn()
    {
        string folder;
        await using (WorkerProcess worker = WorkerProcess.Start(["--version"]))
        {
            folder = worker.WorkingDirectory;
            Directory.Exists(folder).ShouldBeTrue();
            (await worker.WaitForExitAsync()).ShouldBe(0);
        }

        Directory.Exists(folder).ShouldBeFalse();
    }
}
