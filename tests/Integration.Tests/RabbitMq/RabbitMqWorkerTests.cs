using System.Net;
using Integration.Tests.Servers;
using Integration.Tests.Worker;
using RabbitMQ.Client;

namespace Integration.Tests.RabbitMq;

/// <summary>The worker and its commands as users run them.</summary>
public sealed class RabbitMqWorkerTests(RabbitMqServer server)
{
    private const int Unavailable = 69;
    private const int NoPermission = 77;

    [Theory]
    [InlineData("quorum")]
    [InlineData("classic")]
    public async Task Archive_ManyMessages_EachIsStoredWithItsBytesAndAcknowledged(string type)
    {
        await using RabbitMqQueue queue = await RabbitMqQueue.CreateAsync(server.Require(), type);
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("rabbit", 300);
        await queue.SendAsync(messages);
        await using DirectoryUnderTest sink = new();

        await using (RunningWorker worker = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment))
        {
            await StoredAsync(sink, messages.Length);
            (await worker.StopAsync()).ShouldBe(0);
        }

        await sink.ShouldHoldExactlyAsync(messages);
        (await queue.CountAsync()).ShouldBe(0u);
        (await queue.CountAsync(queue.DeadLetters)).ShouldBe(0u);
    }

    [Fact]
    public async Task Terminate_WhileReceiving_LosesNothing()
    {
        await using RabbitMqQueue queue = await RabbitMqQueue.CreateAsync(server.Require());
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("stop", 1_000);
        await queue.SendAsync(messages);
        await using DirectoryUnderTest sink = new();
        for (int stop = 0; stop < 2; stop++)
        {
            await using RunningWorker worker =
                await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments, "--Intake:Concurrency=8"], queue.Environment);
            await StoredAsync(sink, stop == 0 ? 20 : messages.Length);
            (await worker.StopAsync()).ShouldBe(0);
        }

        await sink.ShouldHoldExactlyAsync(messages);
        (await queue.CountAsync()).ShouldBe(0u);
    }

    [Fact]
    public async Task Attributes_OfAMessage_AreInItsKey()
    {
        await using RabbitMqQueue queue = await RabbitMqQueue.CreateAsync(server.Require());
        await queue.SendAsync("{}"u8.ToArray(), "m-1", new BasicProperties
        {
            CorrelationId = "c-1",
            Timestamp = new AmqpTimestamp(1_769_854_830),
            Headers =
                new Dictionary<string, object?>(StringComparer.Ordinal) { ["tenant"] = "north", ["number"] = 7, ["table"] = new Dictionary<string, object?>() },
        });
        await using DirectoryUnderTest sink = new();

        await using RunningWorker worker = await RunningWorker.StartAsync(
            [.. queue.Arguments, .. sink.Arguments, "--Handlers:Archive:MessageIdProperty=@id",
                "--Handlers:Archive:Template={@attribute.tenant}/{@attribute.number}/{@correlation-id:encode}/{@enqueued:yyyy-MM-dd}/{MessageId}.json"],
                queue.Environment);
        await StoredAsync(sink, 1);

        (await worker.StopAsync()).ShouldBe(0);
        (await sink.ReadAllAsync()).Keys.ShouldBe(["north/7/c-1/2026-01-31/m-1.json"]);
    }

    [Fact]
    public async Task PublishAndRedrive_DeadLetters_AreStoredOnceTheirCauseIsFixed()
    {
        await using RabbitMqQueue queue = await RabbitMqQueue.CreateAsync(server.Require());
        await using DirectoryUnderTest sink = new();
        WorkerCommand publish = await WorkerCommand.RunAsync(
            ["publish", "--to", "rabbitmq", "--count", "40", "--attribute", "tenant=north", .. queue.Arguments], queue.Environment);
        publish.ExitCode.ShouldBe(0, publish.Text);
        await queue.SendAsync("{"u8.ToArray(), "malformed");
        await using (RunningWorker strict =
            await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments, "--Stages:MaxMessageBytes=10B"], queue.Environment))
        {
            await Eventually.BecomesTrueAsync(async () => await queue.CountAsync(queue.DeadLetters) == 41, "41 dead letters");
            (await strict.StopAsync()).ShouldBe(0);
        }

        WorkerCommand dry = await RedriveAsync(queue, "--dry-run", "--max", "7", "--bodies");
        dry.ExitCode.ShouldBe(0, dry.Text);
        dry.Text.ShouldContain("7 dead letter(s) found; nothing was sent.");
        dry.Text.ShouldContain("\n    {\"");

        WorkerCommand other = await RedriveAsync(queue, "--reason", "no-such-reason");
        other.ExitCode.ShouldBe(64, other.Text);
        other.Error.ShouldContain("Existing reasons: malformed-json (1), too-large (40).");
        await Eventually.BecomesTrueAsync(async () => await queue.CountAsync(queue.DeadLetters) == 41, "the dead letters are back");

        WorkerCommand redrive = await RedriveAsync(queue, "--reason", "too-large");
        redrive.ExitCode.ShouldBe(0, redrive.Text);
        redrive.Text.ShouldContain("40 of 40 dead letter(s) redriven.");

        (await queue.TakeDeadLettersAsync(1)).ShouldHaveSingleItem().BasicProperties.MessageId.ShouldBe("malformed");
        BasicGetResult sent = (await queue.Channel.BasicGetAsync(queue.Name, autoAck: false)).ShouldNotBeNull();
        RabbitMqQueue.Header(sent, "tenant").ShouldBe("north");
        sent.BasicProperties.Headers!.Keys.ShouldAllBe(name => !name.StartsWith("dead-letter", StringComparison.Ordinal));
        await queue.Channel.BasicRejectAsync(sent.DeliveryTag, requeue: true);
        await using RunningWorker repaired = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment);
        await StoredAsync(sink, 40);
        (await repaired.StopAsync()).ShouldBe(0);
    }

    [Fact]
    public async Task Redrive_LettersOneByOne_AreRepairedInTheFolderAndStored()
    {
        await using RabbitMqQueue queue = await RabbitMqQueue.CreateAsync(server.Require());
        ArchiveMessage[] large = [ArchiveMessage.Create("large-1", 2_000), ArchiveMessage.Create("large-2", 2_000)];
        foreach ((string id, byte[] body)
            in (IEnumerable<(string, byte[])>)[.. large.Select(message => (message.Id, message.Body)), ("malformed", "{"u8.ToArray())])
        {
            await queue.SendAsync(
                body, id,
                new BasicProperties { CorrelationId = "c-1", Headers = new Dictionary<string, object?>(StringComparer.Ordinal) { ["tenant"] = "north" } });
        }

        using QueueLetters letters = new("rabbitmq", queue.Arguments, queue.Environment, async () => (int)await queue.CountAsync(queue.DeadLetters));

        await letters.RepairAsync(large, "{@attribute.tenant}/{@correlation-id:encode}/{MessageId}.json", id => $"north/c-1/{id}.json");
    }

    [Fact]
    public async Task Redrive_CauseIsThere_SaysWhichWereDeadLetteredAgainAndEnds()
    {
        await using RabbitMqQueue queue = await RabbitMqQueue.CreateAsync(server.Require());
        await using DirectoryUnderTest sink = new();
        await Task.WhenAll(Enumerable.Range(0, 10).Select(number => queue.SendAsync("{"u8.ToArray(), $"bad-{number}")));
        await using RunningWorker worker = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment);
        await Eventually.BecomesTrueAsync(async () => await queue.CountAsync(queue.DeadLetters) == 10, "10 dead letters");

        WorkerCommand redrive = await RedriveAsync(queue, "--rate", "5");

        redrive.ExitCode.ShouldBe(1, redrive.Text);
        redrive.Text.ShouldContain("10 of 10 dead letter(s) redriven; at least ");
        redrive.Error.ShouldContain("were sent and dead-lettered again. Fix the cause");
        await Eventually.BecomesTrueAsync(async () => await queue.CountAsync(queue.DeadLetters) == 10, "10 dead letters again");
        (await worker.StopAsync()).ShouldBe(0);
    }

    [Theory]
    [InlineData("amqp://guest:no-such-word@{0}/", "q", NoPermission, "check user and password")]
    [InlineData("amqp://guest:guest@{0}/no-such-host", "q", Unavailable, "check the virtual host")]
    [InlineData("amqp://guest:guest@{0}/", "no-such-queue", Unavailable, "NOT_FOUND - no queue 'no-such-queue' in vhost '/'; create what is missing")]
    public async Task Commands_BrokerRefuses_SayWhyAndExit(string address, string name, int exitCode, string why)
    {
        Uri broker = server.Require();
        await using RabbitMqQueue queue = await RabbitMqQueue.CreateAsync(broker);
        await using DirectoryUnderTest sink = new();
        string[] arguments = ["--Routes:archive:Source=RabbitMq", $"--Sources:RabbitMq:Queue={(name == "q" ? queue.Name : name)}", .. sink.Arguments];
        IReadOnlyList<KeyValuePair<string, string>> environment =
            RabbitMqQueue.ToEnvironment(string.Format(System.Globalization.CultureInfo.InvariantCulture, address, broker.Authority));

        foreach (string[] command in (string[][])[
            [.. RunningWorker.CommonArguments], ["publish", "--to", "rabbitmq", "--count", "1"], ["redrive", "--from", "rabbitmq"]])
        {
            WorkerCommand result = (await WorkerCommand.RunAsync([.. command, .. arguments], environment)).ShouldHaveNoStackTrace();

            result.ExitCode.ShouldBe(exitCode, result.Text);
            result.Error.ShouldContain(why);
            result.Text.ShouldNotContain("no-such-word");
        }
    }

    [Fact]
    public async Task Start_DeclareIsTrue_CreatesTheMissingQueuesAndChangesNoOther()
    {
        await using RabbitMqQueue queue = await RabbitMqQueue.CreateAsync(server.Require(), "classic", ("x-max-length", 100_000));
        await queue.Channel.QueueDeleteAsync(queue.DeadLetters);
        await using DirectoryUnderTest sink = new();

        await using RunningWorker worker =
            await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments, "--Sources:RabbitMq:Declare=true"], queue.Environment);

        await worker.Process.WaitForLineAsync($"the missing queue {queue.DeadLetters} was created");
        (await worker.StopAsync()).ShouldBe(0);
        (await queue.CountAsync(queue.DeadLetters)).ShouldBe(0u);
    }

    [Fact]
    public async Task Start_BrokerIsDown_IsNotReadyUntilItIsUp()
    {
        await using DirectoryUnderTest sink = new();
        IReadOnlyList<KeyValuePair<string, string>> nowhere = RabbitMqQueue.ToEnvironment($"amqp://guest:guest@127.0.0.1:{FreePort.Next()}/");

        await using RunningWorker worker =
            await RunningWorker.StartAsync(["--Routes:archive:Source=RabbitMq", "--Sources:RabbitMq:Queue=q", .. sink.Arguments], nowhere);

        await worker.WaitForHealthAsync(HttpStatusCode.ServiceUnavailable);
        (await worker.HealthAsync()).Route.ToJsonString().ShouldContain("Connection refused");
        (await worker.StopAsync()).ShouldBe(0);
    }

    private static Task<WorkerCommand> RedriveAsync(RabbitMqQueue queue, params string[] arguments) =>
        WorkerCommand.RunAsync(["redrive", "--from", "rabbitmq", .. queue.Arguments, .. arguments], queue.Environment);

    private static Task StoredAsync(DirectoryUnderTest sink, int count) => Eventually.BecomesTrueAsync(
        async () => (await sink.ReadAllAsync()).Count >= count, $"{count} objects are stored", TimeSpan.FromMinutes(2));
}
