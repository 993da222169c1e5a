using System.Text.Json;
using Azure.Messaging.ServiceBus;
using Integration.Tests.Profiling;
using Integration.Tests.Servers;
using Integration.Tests.Worker;

namespace Integration.Tests.AzureServiceBus;

/// <summary>The worker, its commands and the harness as users run them.</summary>
public sealed class ServiceBusWorkerTests(ServiceBusServer server, AwsServer aws, RealS3 realS3)
{
    [Theory]
    [InlineData(SinkKind.Directory)]
    [InlineData(SinkKind.Fauxqs)]
    public async Task Archive_ManyMessages_EachIsStoredWithItsBytesAndCompleted(SinkKind kind)
    {
        await using ServiceBusQueue queue = await server.RequireQueueAsync();
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("bus", 300);
        await queue.SendAsync(messages);
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(kind, aws, realS3);

        await using RunningWorker worker = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment);
        await queue.WaitUntilEmptyAsync();

        (await worker.StopAsync()).ShouldBe(0);
        await sink.ShouldHoldExactlyAsync(messages);
        (await queue.PeekAsync(SubQueue.DeadLetter)).ShouldBeEmpty();
    }

    [Fact]
    public async Task Archive_Subscription_GetsTheMessagesOfItsTopic()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await emulator.DeclareAsync("sold", new { Subscriptions = new[] { new { Name = "archive" } } });
        await using DirectoryUnderTest sink = new();
        string[] topic = ["--Sources:ServiceBus:Topic=sold", "--Sources:ServiceBus:Subscription=archive"];

        WorkerCommand publish = await WorkerCommand.RunAsync(
            ["publish", "--to", "servicebus", "--count", "30", .. topic], ServiceBusQueue.ToEnvironment(emulator.ConnectionString));
        publish.ExitCode.ShouldBe(0, publish.Text);
        await using RunningWorker worker = await RunningWorker.StartAsync(
            ["--Routes:archive:Source=ServiceBus", .. topic, .. sink.Arguments], ServiceBusQueue.ToEnvironment(emulator.ConnectionString));
        await StoredAsync(sink, 30);

        (await worker.StopAsync()).ShouldBe(0);
    }

    [Fact]
    public async Task Terminate_WhileReceiving_LosesNothingAndLeavesNothingLocked()
    {
        await using ServiceBusQueue queue = await server.RequireQueueAsync();
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("stop", 1_000);
        await queue.SendAsync(messages);
        await using DirectoryUnderTest sink = new();
        await using (RunningWorker first = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments, "--Intake:Concurrency=8"], queue.Environment))
        {
            await StoredAsync(sink, 20);
            (await first.StopAsync()).ShouldBe(0);
        }

        if (queue.Emulator is { } emulator)
        {
            ((int)(await emulator.DescribeAsync(queue.Name))["locked"]!).ShouldBe(0);
        }

        await using RunningWorker second = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment);
        await queue.WaitUntilEmptyAsync();

        (await second.StopAsync()).ShouldBe(0);
        await sink.ShouldHoldExactlyAsync(messages);
    }

    [Fact]
    public async Task Terminate_SettlementIsNotAnswered_SendsItAgainAndLeavesNothingLocked()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator);
        await using DirectoryUnderTest sink = new();
        await emulator.SetFaultsAsync(new { ignoredSettlements = 1 });
        await queue.SendAsync([ArchiveMessage.Create("first")]);
        await using RunningWorker worker = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment);
        await StoredAsync(sink, 1);
        await Eventually.BecomesTrueAsync(
            async () => (int)(await emulator.SetFaultsAsync(new { }))["ignoredSettlements"]! == 0, "the settlement is on its way");

        (await worker.StopAsync()).ShouldBe(0);
        await queue.SendAsync(ArchiveMessage.CreateMany("later", 50));

        (await queue.PeekAsync()).Count.ShouldBe(50);
        ((int)(await emulator.DescribeAsync(queue.Name))["locked"]!).ShouldBe(0);
    }

    [Fact]
    public async Task Publish_ToServiceBus_IsReceived()
    {
        await using ServiceBusQueue queue = await server.RequireQueueAsync();
        await using DirectoryUnderTest sink = new();

        WorkerCommand publish = await WorkerCommand.RunAsync(["publish", "--to", "servicebus", "--count", "250", .. queue.Arguments], queue.Environment);
        publish.ExitCode.ShouldBe(0, publish.Text);
        await using RunningWorker worker = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment);
        await queue.WaitUntilEmptyAsync();

        (await worker.StopAsync()).ShouldBe(0);
        (await sink.ReadAllAsync()).Count.ShouldBe(250);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Harness_BothWays_CountsAllMessages(bool bare)
    {
        await using ServiceBusQueue queue = await server.RequireQueueAsync();
        string[] arguments = [
            "--count", "1000", "--batch", "100", "--concurrency", "100", "--no-wait", "--json", $"--Sources:ServiceBus:Queue={queue.Name}",
            .. bare ? ["--bare"] : Array.Empty<string>()];
        await using HarnessProcess harness = HarnessProcess.Start(arguments, source: "servicebus", environment: queue.Environment);

        int exitCode = await harness.WaitForExitAsync(TimeSpan.FromMinutes(3));

        exitCode.ShouldBe(0, harness.Output.Describe());
        JsonElement report = JsonSerializer.Deserialize<JsonElement>(harness.Output.Snapshot().Last(line => !line.IsError).Text);
        report.GetProperty("messages").GetInt64().ShouldBe(1_000);
        (await queue.PeekAsync()).ShouldBeEmpty();
    }

    private static Task StoredAsync(DirectoryUnderTest sink, int count) => Eventually.BecomesTrueAsync(
        async () => (await sink.ReadAllAsync()).Count >= count, $"{count} objects are stored", TimeSpan.FromMinutes(2));
}
