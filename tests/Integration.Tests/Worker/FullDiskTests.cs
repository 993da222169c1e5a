using System.Net;
using System.Text.Json.Nodes;
using Integration.Tests.Processes;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>A disk that is full or read-only (fault table, row 25), and exhausted file descriptors (row 26).</summary>
public sealed class FullDiskTests(AwsServer aws)
{
    [Fact]
    public async Task Run_DiskIsFull_PausesAndRecoversWhenThereIsSpace()
    {
        await using Tmpfs disk = await Tmpfs.MountAsync("2m");
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("full", 200);
        string ballast = disk.Fill();
        await using RunningWorker worker = await RunningWorker.StartAsync(
            [.. RunningWorker.SqsArguments(endpoint, queue), $"--Sinks:Directory:Path={disk.Path}/objects", "--Recoverability:BreakerOpen=1s"]);
        await queue.SendAllAsync(messages.Select(message => message.Text));

        JsonNode route = await worker.WaitForOutageAsync();
        await Task.Delay(TimeSpan.FromSeconds(3));
        int lines = worker.Process.Output.Snapshot().Length;
        (await worker.HealthAsync("live")).Status.ShouldBe(HttpStatusCode.OK);
        (await queue.CountAsync()).Total.ShouldBe(messages.Length);
        File.Delete(ballast);

        await queue.WaitForCountAsync(counts => counts.Total == 0, TimeSpan.FromSeconds(90));
        await worker.WaitForHealthAsync(HttpStatusCode.OK);
        (await worker.StopAsync()).ShouldBe(0);
        ShouldHold($"{disk.Path}/objects", messages);
        (await deadLetters.CountAsync()).Total.ShouldBe(0);
        route["lastFailure"]!.GetValue<string>().ShouldContain("No space left on device");
        lines.ShouldBeLessThan(60, worker.Process.Output.Describe());
    }

    [Fact]
    public async Task Run_DescriptorsExhausted_AnswersAndRecovers()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs /proc and prlimit");

        // Each thread that the runtime starts opens a pipe, and without one it ends the process ("Out of memory.", exit code 134): the pool gets
        // its threads before the descriptors go. The same for code, whose assembly has to be opened.
        await using RunningWorker worker = await RunningWorker.StartAsync(["--Routes:archive:Source=Http", "--Recoverability:BreakerOpen=1s"],
        [
            KeyValuePair.Create("DOTNET_TieredCompilation", "0"),
            KeyValuePair.Create("DOTNET_ThreadPool_ForceMinWorkerThreads", "2"),
            KeyValuePair.Create("DOTNET_ThreadPool_ForceMaxWorkerThreads", "2"),
            KeyValuePair.Create("DOTNET_ThreadPool_ThreadTimeoutMs", "-1"),
        ]);
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("descriptors", 3);
        // These requests load all code that later ones need.
        (await worker.PostAsync(messages[0].Body)).Status.ShouldBe(HttpStatusCode.OK);
        (await worker.PostAsync("{broken"u8.ToArray())).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
        await worker.HealthAsync();

        // The limit applies to the numbers of new descriptors, of which the first three are in use; open descriptors stay open.
        (await LimitAsync(worker.Process.Id, 3)).ShouldBe(0);
        (HttpStatusCode starved, _) = await worker.PostAsync(messages[1].Body);
        (HttpStatusCode health, _) = await worker.HealthAsync("live");
        (await LimitAsync(worker.Process.Id, 4_096)).ShouldBe(0);

        await Eventually.BecomesTrueAsync(async () => (await worker.PostAsync(messages[1].Body)).Status == HttpStatusCode.OK, "a message is stored again");
        (await worker.PostAsync(messages[2].Body)).Status.ShouldBe(HttpStatusCode.OK);
        (await worker.HealthAsync()).Status.ShouldBe(HttpStatusCode.OK);
        (await worker.StopAsync()).ShouldBe(0);
        starved.ShouldBe(HttpStatusCode.ServiceUnavailable);
        health.ShouldBe(HttpStatusCode.OK);
        ShouldHold(Path.Combine(worker.Process.WorkingDirectory, "data"), messages);
    }

    private static async Task<int> LimitAsync(int processId, int descriptors)
    {
        // The hard limit stays, so that the soft one can be raised again.
        await using CapturedProcess prlimit = CapturedProcess.Start("prlimit", "--pid", $"{processId}", $"--nofile={descriptors}:");
        return await prlimit.WaitForExitAsync();
    }

    private static void ShouldHold(string folder, IEnumerable<ArchiveMessage> messages)
    {
        Directory.EnumerateFiles(folder, "*.json", SearchOption.AllDirectories).Select(path => Path.GetRelativePath(folder, path))
            .ShouldBe(messages.Select(message => message.Key), ignoreOrder: true);
        messages.ShouldAllBe(message => File.ReadAllBytes(Path.Combine(folder, message.Key)).SequenceEqual(message.Body));
        Directory.EnumerateFiles(Path.Combine(folder, ".tmp")).ShouldBeEmpty();
    }
}
