using System.Net;
using Integration.Tests.Processes;
using Integration.Tests.Servers;
using Integration.Tests.Worker;

namespace Integration.Tests.AzureServiceBus;

/// <summary>The start of a worker whose entity is missing, refused, of the wrong kind or not reachable yet.</summary>
public sealed class ServiceBusStartTests
{
    private const int Unavailable = 69;
    private const int NoPermission = 77;
    private const int Configuration = 78;

    [Fact]
    public async Task Start_WrongKey_SaysSoAndExits77()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator);

        WorkerCommand result =
            await StartAsync(queue.Arguments, emulator.ConnectionString.Replace("SharedAccessKey=SAS", "SharedAccessKey=NOT", StringComparison.Ordinal));

        result.ExitCode.ShouldBe(NoPermission, result.Text);
        result.Error.ShouldContain("the credentials are refused");
    }

    [Fact]
    public async Task Start_RightListenIsMissing_SaysSoAndExits77()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator);
        await emulator.SetFaultsAsync(new { refused = new Dictionary<string, string>(StringComparer.Ordinal) { [queue.Name] = "amqp:unauthorized-access" } });

        WorkerCommand result = await StartAsync(queue.Arguments, emulator.ConnectionString);

        result.ExitCode.ShouldBe(NoPermission, result.Text);
        result.Error.ShouldContain("right Listen");
    }

    [Fact]
    public async Task Start_QueueIsMissing_SaysSoAndExits69()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();

        WorkerCommand result = await StartAsync(["--Routes:archive:Source=ServiceBus", "--Sources:ServiceBus:Queue=no-such-queue"], emulator.ConnectionString);

        result.ExitCode.ShouldBe(Unavailable, result.Text);
        result.Error.ShouldContain("no-such-queue");
        result.Error.ShouldContain("there is no such entity");
    }

    [Theory]
    [InlineData("Disabled", false, false, Unavailable, "disabled")]
    [InlineData("Disabled", true, true, Unavailable, "disabled")]
    [InlineData("Active", true, false, Configuration, "the entity requires sessions; set Sources:ServiceBus:Sessions to true")]
    [InlineData("Active", false, true, Configuration, "the entity has no sessions; set Sources:ServiceBus:Sessions to false")]
    public async Task Start_QueueCannotBeUsed_SaysWhyAndExits(string status, bool requiresSession, bool sessions, int exitCode, string why)
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, new { Status = status, RequiresSession = requiresSession });

        WorkerCommand result = await StartAsync([.. queue.Arguments, $"--Sources:ServiceBus:Sessions={sessions}"], emulator.ConnectionString);

        result.ExitCode.ShouldBe(exitCode, result.Text);
        result.Error.ShouldContain(why);
    }

    [Fact]
    public async Task Start_BrokerIsDown_WaitsForItAndReceives()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator);
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("early", 10);
        await queue.SendAsync(messages);
        await emulator.DownAsync();
        await using DirectoryUnderTest sink = new();

        await using RunningWorker worker = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment);
        await worker.WaitForHealthAsync(HttpStatusCode.ServiceUnavailable, timeout: TimeSpan.FromMinutes(3));
        await worker.Process.WaitForLineAsync("Service Bus is unreachable");
        await emulator.UpAsync();
        await worker.WaitForHealthAsync(HttpStatusCode.OK, timeout: TimeSpan.FromMinutes(3));
        await queue.WaitUntilEmptyAsync();

        (await worker.StopAsync()).ShouldBe(0);
        await sink.ShouldHoldExactlyAsync(messages);
    }

    /// <summary>Starts a worker that the broker refuses.</summary>
    private static async Task<WorkerCommand> StartAsync(IReadOnlyList<string> arguments, string connectionString)
    {
        await using DirectoryUnderTest sink = new();
        for (int attempt = 1; ; attempt++)
        {
            await using WorkerProcess process =
                WorkerProcess.Start([.. RunningWorker.CommonArguments, .. arguments, .. sink.Arguments], ServiceBusQueue.ToEnvironment(connectionString));

            // The worker waits 9 s for the broker's answer and then starts without it, which a busy machine may cause: that start shows nothing.
            using CancellationTokenSource ended = new();
            Task<CapturedLine> started = process.WaitForLineAsync("Listening on http://", cancellationToken: ended.Token);
            await Task.WhenAny(started, process.WaitForExitAsync());
            if (!started.IsCompletedSuccessfully || attempt == 5)
            {
                await ended.CancelAsync();
                return (await WorkerCommand.CaptureAsync(process)).ShouldHaveNoStackTrace();
            }
        }
    }
}
