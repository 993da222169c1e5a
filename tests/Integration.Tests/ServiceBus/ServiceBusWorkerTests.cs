using System.Text.Json;
using Integration.Tests.Profiling;
using Integration.Tests.Worker;

namespace Integration.Tests.ServiceBus;

/// <summary>The worker, its commands and the harness as users run them, over a real broker or Microsoft's emulator.</summary>
[Collection(WorkerProcesses.Name)]
public sealed class ServiceBusWorkerTests
{
    [Fact]
    public async Task Archive_ManyMessages_EachIsStoredWithItsBytes()
    {
        ServiceBusQueue queue = await ServiceBusQueue.CreateAsync();
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("bus", 300);
        await queue.SendAsync(messages);
        await using DirectoryUnderTest sink = new();

        await using RunningWorker worker = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment);
        await StoredAsync(sink, 300);

        (await worker.StopAsync()).ShouldBe(0);
        await sink.ShouldHoldExactlyAsync(messages);
    }

    [Fact]
    public async Task Terminate_WhileReceiving_LosesNothing()
    {
        ServiceBusQueue queue = await ServiceBusQueue.CreateAsync();
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("stop", 1_000);
        await queue.SendAsync(messages);
        await using DirectoryUnderTest sink = new();
        await using (RunningWorker first = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments, "--Intake:Concurrency=8"], queue.Environment))
        {
            await StoredAsync(sink, 20);
            (await first.StopAsync()).ShouldBe(0);
        }

        await using RunningWorker second = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment);
        await StoredAsync(sink, 1_000);

        (await second.StopAsync()).ShouldBe(0);
        await sink.ShouldHoldExactlyAsync(messages);
    }

    [Fact]
    public async Task Archive_Poison_IsDeadLetteredAndTheRestIsStored()
    {
        ServiceBusQueue queue = await ServiceBusQueue.CreateAsync();
        ArchiveMessage good = ArchiveMessage.Create("good");
        await queue.SendAsync([new ArchiveMessage("poison", "{\"Product\":"), good]);
        await using DirectoryUnderTest sink = new();

        await using RunningWorker worker = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment);
        await worker.Process.WaitForLineAsync("message poison is dead-lettered");
        await StoredAsync(sink, 1);

        (await worker.StopAsync()).ShouldBe(0);
        worker.Process.Output.Snapshot().ShouldContain(line => line.Text.Contains("1 stored, 1 dead-lettered", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Publish_ToServiceBus_IsReceived()
    {
        ServiceBusQueue queue = await ServiceBusQueue.CreateAsync();
        await using DirectoryUnderTest sink = new();

        WorkerCommand publish = await WorkerCommand.RunAsync(["publish", "--to", "servicebus", "--count", "250", .. queue.Arguments], queue.Environment);
        publish.ExitCode.ShouldBe(0, publish.Text);
        await using RunningWorker worker = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment);
        await StoredAsync(sink, 250);

        (await worker.StopAsync()).ShouldBe(0);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Harness_BothWays_CountsAllMessages(bool bare)
    {
        ServiceBusQueue.RequireConnection();
        string[] arguments = ["--count", "1000", "--batch", "100", "--concurrency", "100", "--no-wait", "--json", .. bare ? ["--bare"] : Array.Empty<string>()];
        await using HarnessProcess harness = HarnessProcess.Start(arguments, source: "servicebus");

        int exitCode = await harness.WaitForExitAsync(TimeSpan.FromMinutes(3));

        exitCode.ShouldBe(0, harness.Output.Describe());
        JsonElement report = JsonSerializer.Deserialize<JsonElement>(harness.Output.Snapshot().Last(line => !line.IsError).Text);
        report.GetProperty("messages").GetInt64().ShouldBe(1_000);
    }

    private static Task StoredAsync(DirectoryUnderTest sink, int count) => Eventually.BecomesTrueAsync(
        async () => (await sink.ReadAllAsync()).Count >= count, $"{count} objects are stored", TimeSpan.FromMinutes(2));
}
