using Azure.Core.Amqp;
using Azure.Messaging.ServiceBus;
using Integration.Tests.Servers;
using Integration.Tests.Worker;

namespace Integration.Tests.AzureServiceBus;

/// <summary><c>redrive --from servicebus</c>.</summary>
public sealed class ServiceBusRedriveTests
{
    private const string LowLimit = "--Stages:MaxMessageBytes=1KiB";

    [Fact]
    public async Task Redrive_AfterTheLimitWasRaised_StoresTheMessagesAndEmptiesTheDeadLetterQueue()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator);
        await using DirectoryUnderTest sink = new();
        ArchiveMessage[] messages = [.. Enumerable.Range(0, 120).Select(number => ArchiveMessage.Create($"redriven-{number}", 2_000))];
        foreach (ArchiveMessage[] some in messages.Chunk(50))
        {
            await queue.SendAsync(
                [.. some.Select(message => new ServiceBusMessage(message.Body) { MessageId = message.Id, ApplicationProperties = { ["tenant"] = "north" } })]);
        }

        await queue.SendAsync(new ServiceBusMessage("{") { MessageId = "malformed" });
        await using (RunningWorker strict = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments, LowLimit], queue.Environment))
        {
            await queue.WaitForDeadLettersAsync(121);
            (await strict.StopAsync()).ShouldBe(0);
        }

        WorkerCommand dry = await RunAsync(queue, "--dry-run", "--max", "7", "--bodies");
        dry.ExitCode.ShouldBe(0, dry.Text);
        dry.Text.ShouldContain("7 dead letter(s) found; nothing was sent.");
        dry.Text.ShouldContain("too-large  redriven-");
        dry.Text.ShouldContain($"\n    {messages[0].Text[..40]}");

        WorkerCommand other = await RunAsync(queue, "--reason", "no-such-reason");
        other.ExitCode.ShouldBe(64, other.Text);
        other.Error.ShouldContain("Existing reasons: malformed-json (1), too-large (120).");

        WorkerCommand fifty = await RunAsync(queue, "--reason", "too-large", "--max", "50");
        fifty.ExitCode.ShouldBe(0, fifty.Text);
        fifty.Text.ShouldContain("50 of 50 dead letter(s) redriven.");
        WorkerCommand rest = await RunAsync(queue, "--reason", "too-large");
        rest.ExitCode.ShouldBe(0, rest.Text);
        rest.Text.ShouldContain("70 of 70 dead letter(s) redriven.");

        // Not locked either.
        ServiceBusReceivedMessage stays = (await queue.CreateReceiver(SubQueue.DeadLetter).ReceiveMessageAsync(TimeSpan.FromSeconds(20))).ShouldNotBeNull();
        stays.MessageId.ShouldBe("malformed");
        IReadOnlyList<ServiceBusReceivedMessage> sent = await queue.PeekAsync(max: 200);
        sent.Count.ShouldBe(120);
        sent.ShouldAllBe(
            message => (string)message.ApplicationProperties["tenant"] == "north"
                && message.MessageId.StartsWith((string)message.ApplicationProperties["RedrivenMessageId"] + "-"));
        sent.ShouldAllBe(message => message.ApplicationProperties.Count == 2);

        await using (RunningWorker repaired = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment))
        {
            await queue.WaitUntilEmptyAsync();
            (await repaired.StopAsync()).ShouldBe(0);
        }

        await sink.ShouldHoldExactlyAsync(messages);
    }

    [Fact]
    public async Task Redrive_LettersOneByOne_AreRepairedInTheFolderAndStored()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator);
        ArchiveMessage[] large = [ArchiveMessage.Create("large-1", 2_000), ArchiveMessage.Create("large-2", 2_000)];
        await queue.SendAsync([.. large.Select(message => Create(message.Id, message.Body)), Create("malformed", "{"u8.ToArray())]);
        using QueueLetters letters = new("servicebus", queue.Arguments, queue.Environment, async () => (await queue.PeekAsync(SubQueue.DeadLetter)).Count);

        await letters.RepairAsync(large, "{@attribute.tenant}/{@correlation-id:encode}/{@subject}/{MessageId}.json", id => $"north/c-1/sold/{id}.json");

        static ServiceBusMessage Create(string id, byte[] body) =>
            new(body) { MessageId = id, CorrelationId = "c-1", Subject = "sold", ApplicationProperties = { ["tenant"] = "north" } };
    }

    [Fact]
    public async Task Redrive_CauseIsThere_SaysWhichWereDeadLetteredAgainAndEnds()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator);
        await using DirectoryUnderTest sink = new();
        await queue.SendAsync([.. Enumerable.Range(0, 20).Select(number => new ServiceBusMessage("{") { MessageId = $"bad-{number}" })]);
        await using RunningWorker worker = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment);
        await queue.WaitForDeadLettersAsync(20);

        WorkerCommand redrive = await RunAsync(queue, "--rate", "5");

        redrive.ExitCode.ShouldBe(1, redrive.Text);
        redrive.Text.ShouldContain("20 of 20 dead letter(s) redriven; at least ");
        redrive.Error.ShouldContain("were sent and dead-lettered again. Fix the cause");
        (await queue.WaitForDeadLettersAsync(20)).Count.ShouldBe(20);
        (await worker.StopAsync()).ShouldBe(0);
    }

    [Fact]
    public async Task Redrive_QueueRefusesMessages_KeepsTheDeadLettersAndSaysWhy()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator);
        ServiceBusReceiver receiver = queue.CreateReceiver();
        await queue.SendAsync([.. Enumerable.Range(0, 8).Select(number => new ServiceBusMessage("{}") { MessageId = $"kept-{number}" })]);
        for (int i = 0; i < 8; i++)
        {
            await receiver.DeadLetterMessageAsync(await receiver.ReceiveMessageAsync(), "tried", "it failed");
        }

        // The link opens; each message is refused.
        await emulator.SetFaultsAsync(new { refusedSends = 1_000 });
        WorkerCommand redrive = await RunAsync(queue);
        await emulator.ClearFaultsAsync();

        redrive.ExitCode.ShouldBe(1, redrive.Text);
        redrive.Text.ShouldContain("0 of 8 dead letter(s) redriven.");
        redrive.Error.ShouldContain("5 sends in a row failed");
        (await queue.PeekAsync(SubQueue.DeadLetter)).Count.ShouldBe(8);
        (await queue.PeekAsync()).ShouldBeEmpty();
    }

    [Fact]
    public async Task Redrive_ADeadLetterCannotBeRead_MovesTheOthersAndSaysSo()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, new { MaxDeliveryCount = 1 });
        ServiceBusMessage unreadable = new();
        List<object> sequence = ["text"];
        unreadable.GetRawAmqpMessage().Body = AmqpMessageBody.FromSequence([sequence]);
        // The client sends it, and then cannot read it.
        sequence[0] = null!;
        await queue.SendAsync(new ServiceBusMessage("{}"), unreadable, new ServiceBusMessage("{}"));
        ServiceBusReceiver receiver = queue.CreateReceiver();
        for (int i = 0; i < 3; i++)
        {
            // The client fails for one of them, which stays locked.
            await ((Task)receiver.ReceiveMessageAsync()).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        await emulator.ExpireLocksAsync(queue.Name);

        WorkerCommand redrive = await RunAsync(queue);

        redrive.ExitCode.ShouldBe(0, redrive.Text);
        redrive.Text.ShouldContain("2 of 2 dead letter(s) redriven.");
        redrive.Text.ShouldContain("At least one dead letter cannot be read by the client; it stays.");
        ((int)(await emulator.DescribeAsync(queue.Name))["active"]!).ShouldBe(2);
    }

    [Fact]
    public async Task Redrive_LockEndsBeforeTheDeadLetterIsDeleted_DeletesItOnItsNextDelivery()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, new { LockDuration = "PT2S", MaxDeliveryCount = 1 });
        await queue.SendAsync(new ServiceBusMessage("{}"), new ServiceBusMessage("{}"));
        ServiceBusReceiver receiver = queue.CreateReceiver();
        await receiver.DeadLetterMessageAsync(await receiver.ReceiveMessageAsync());
        await receiver.DeadLetterMessageAsync(await receiver.ReceiveMessageAsync());

        await emulator.SetFaultsAsync(new { settlementDelay = 3_000 });
        Task<WorkerCommand> running = RunAsync(queue);
        await Eventually.BecomesTrueAsync(
            async () => (int)(await emulator.DescribeAsync($"{queue.Name}/$DeadLetterQueue"))["settled"]!["lockLost"]! > 0, "the lock has ended");
        await emulator.ClearFaultsAsync();
        WorkerCommand redrive = await running;

        redrive.ExitCode.ShouldBe(0, redrive.Text);
        redrive.Text.ShouldContain("2 of 2 dead letter(s) redriven.");
        (await queue.PeekAsync()).Count.ShouldBe(2);
        (await queue.PeekAsync(SubQueue.DeadLetter)).ShouldBeEmpty();
    }

    [Fact]
    public async Task Redrive_CannotBegin_SaysWhy()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator);

        WorkerCommand topic = await WorkerCommand.RunAsync(
            ["redrive", "--from", "servicebus", "--Sources:ServiceBus:Topic=sold", "--Sources:ServiceBus:Subscription=archive"], queue.Environment);
        WorkerCommand missing =
            await WorkerCommand.RunAsync(["redrive", "--from", "servicebus", "--Sources:ServiceBus:Queue=no-such-queue"], queue.Environment);
        WorkerCommand refused = await WorkerCommand.RunAsync(
            ["redrive", "--from", "servicebus", .. queue.Arguments],
            ServiceBusQueue.ToEnvironment(emulator.ConnectionString.Replace("SharedAccessKey=SAS", "SharedAccessKey=NOT", StringComparison.Ordinal)));

        (topic.ExitCode, missing.ExitCode, refused.ExitCode).ShouldBe((78, 69, 77), $"{topic.Text}{missing.Text}{refused.Text}");
        topic.Error.ShouldContain("would reach its other subscriptions too");
        missing.Error.ShouldContain("no-such-queue");
        refused.Error.ShouldContain("rights Listen and Send");
    }

    private static Task<WorkerCommand> RunAsync(ServiceBusQueue queue, params string[] arguments) =>
        WorkerCommand.RunAsync(["redrive", "--from", "servicebus", .. queue.Arguments, .. arguments], queue.Environment);
}
