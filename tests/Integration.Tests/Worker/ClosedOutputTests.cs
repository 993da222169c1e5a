using System.Net;
using System.Text;
using Integration.Tests.Processes;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>Output that is not read must not stop the worker (fault table, row 25).</summary>
public sealed class ClosedOutputTests(AwsServer aws, RealS3 realS3)
{
    // Each launcher execs the worker, so signals and the exit code are the worker's own.
    private const string Closed = "exec \"$@\" >&- 2>&-";
    private const string BrokenPipe = "exec 9<&0; { exec \"$@\" 0<&9; } > \"$FIFO\"";

    // A named pipe that the worker opens for reading and writing and that is never read: full after 64 KiB.
    private const string NeverRead = "exec \"$@\" <>\"$FIFO\" >&0";
    private const string FullDevice = "exec \"$@\" >/dev/full 2>/dev/full";

    [Theory]
    [InlineData(Closed)]
    [InlineData(FullDevice)]
    [InlineData(NeverRead)]
    [InlineData(BrokenPipe)]
    public async Task Run_OutputCannotBeWritten_ContinuesAndExits0(string script)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs /dev/full and named pipes");
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(SinkKind.Directory, aws, realS3);
        DirectoryInfo folder = Directory.CreateTempSubdirectory("output-");
        try
        {
            string fifo = Path.Combine(folder.FullName, "fifo");
            (await RunAsync("mkfifo", fifo)).ShouldBe(0);
            int port = FreePort.Next();
            // A reader that exits after one line.
            await using CapturedProcess? reader = script == BrokenPipe ? CapturedProcess.Start("head", "-n", "1", fifo) : null;
            await using WorkerProcess worker = WorkerProcess.Start(
                [$"--Hosting:Url=http://127.0.0.1:{port}", .. sink.Arguments, "--demo", "200"],
                [KeyValuePair.Create("FIFO", fifo)],
                folder.FullName,
                ["/bin/sh", "-c", script, "sh"]);
            using var http = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{port}"), Timeout = TimeSpan.FromSeconds(60) };
            await Eventually.BecomesTrueAsync(
                async () => (await sink.ReadAllAsync()).Count == 200 && await IsReadyAsync(http), "the demo has ended and the worker is ready");

            // About 200 bytes of log per message: far more than the pipe that is never read and the logger's queue of 2,500 lines hold.
            int refusals = script == NeverRead ? 4_000 : 400;
            string poison = string.Concat(Enumerable.Range(0, refusals).Select(number => $"{{\"broken\":{number}\n"));
            using var lines = new StringContent(poison, Encoding.UTF8, "application/x-ndjson");
            using HttpResponseMessage refused = await http.PostAsync("/messages", lines);
            ArchiveMessage[] good = ArchiveMessage.CreateMany("unheard", 20);
            foreach (ArchiveMessage message in good)
            {
                using var content = new ByteArrayContent(message.Body);
                using HttpResponseMessage stored = await http.PostAsync("/messages", content);
                stored.StatusCode.ShouldBe(HttpStatusCode.OK);
            }

            await worker.SignalAsync(ProcessSignal.Terminate);
            (await worker.WaitForExitAsync()).ShouldBe(0);
            Dictionary<string, byte[]> objects = await sink.ReadAllAsync();
            objects.Count.ShouldBe(220);
            good.ShouldAllBe(message => objects[message.Key].SequenceEqual(message.Body));
            DeadLetterFolder.Read(Path.Combine(folder.FullName, "dead-letters")).Count.ShouldBe(refusals);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Theory]
    [InlineData("exec \"$@\" >/dev/full", 1)]
    [InlineData("exec \"$@\" >&-", 0)]
    public async Task Command_OutputCannotBeWritten_FailsUnlessItIsClosed(string script, int exitCode)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs /dev/full");
        await using WorkerProcess command = WorkerProcess.Start(["validate", "--reference"], launcher: ["/bin/sh", "-c", script, "sh"]);

        (await command.WaitForExitAsync()).ShouldBe(exitCode);
    }

    [Theory]
    [InlineData("validate --reference", 1)]
    [InlineData("validate --brief", 1)]
    [InlineData("validate --Intake:Concurrency=0", 78)]
    [InlineData("explain", 1)]
    [InlineData("--help", 1)]
    [InlineData("publish --help", 1)]
    [InlineData("--print-pipeline", 1)]
    public async Task Command_OutputIsFull_SaysSoOnStandardError(string commandLine, int exitCode)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs /dev/full");
        WorkerCommand command =
            await WorkerCommand.RunAsync(commandLine.Split(' '), environment: null, launcher: ["/bin/sh", "-c", "exec \"$@\" >/dev/full", "sh"]);

        command.ExitCode.ShouldBe(exitCode, command.Text);
        command.Error.ShouldContain("error: the output is incomplete, because it could not be written: No space left on device");
    }

    private static async Task<bool> IsReadyAsync(HttpClient http)
    {
        try
        {
            using HttpResponseMessage response = await http.GetAsync("/healthz/ready");
            return response.StatusCode == HttpStatusCode.OK;
        }
        catch (HttpRequestException)
        {
            return false;
        }
    }

    private static async Task<int> RunAsync(string fileName, params string[] arguments)
    {
        await using CapturedProcess process = CapturedProcess.Start(fileName, arguments);
        return await process.WaitForExitAsync();
    }
}
