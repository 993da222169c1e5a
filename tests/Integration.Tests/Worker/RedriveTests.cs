using System.Net;
using System.Text.Json.Nodes;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>Redrive empties the dead letters once their cause is fixed, and keeps them while it is not.</summary>
public sealed class RedriveTests(AwsServer aws, RealS3 realS3)
{
    private const string LowLimit = "--Stages:MaxMessageBytes=1KiB";

    [Fact]
    public async Task Redrive_FolderAfterTheLimitWasRaised_StoresTheMessagesAndEmptiesTheFolder()
    {
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(SinkKind.Directory, aws, realS3);
        DirectoryInfo folder = Directory.CreateTempSubdirectory("redrive-");
        try
        {
            string[] arguments = [.. sink.Arguments, "--Routes:archive:Source=Http", $"--DeadLetters:Path={folder.FullName}"];
            ArchiveMessage[] messages = [.. Enumerable.Range(0, 30).Select(number => ArchiveMessage.Create($"redriven-{number}", 2_000))];
            await using (RunningWorker strict = await RunningWorker.StartAsync([.. arguments, LowLimit]))
            {
                foreach (ArchiveMessage message in messages)
                {
                    (await strict.PostAsync(message.Body)).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
                }

                WorkerCommand early = await WorkerCommand.RunAsync("redrive", $"--DeadLetters:Path={folder.FullName}", "--url", strict.Url.ToString());
                early.ExitCode.ShouldBe(1);
                early.Text.ShouldContain("0 of 30 dead letter(s) redriven.");
                DeadLetterFolder.Read(folder.FullName).Count.ShouldBe(messages.Length);
                (await strict.StopAsync()).ShouldBe(0);
            }

            WorkerCommand unreachable = await WorkerCommand.RunAsync("redrive", $"--DeadLetters:Path={folder.FullName}", "--url", "http://127.0.0.1:1");
            unreachable.ExitCode.ShouldBe(1);
            unreachable.Text.ShouldContain("Is a worker running there?");
            DeadLetterFolder.Read(folder.FullName).Count.ShouldBe(messages.Length);

            await using (RunningWorker repaired = await RunningWorker.StartAsync(arguments))
            {
                WorkerCommand other = await WorkerCommand.RunAsync(
                    "redrive", $"--DeadLetters:Path={folder.FullName}", "--url", repaired.Url.ToString(), "--reason", "malformed-json");
                other.ExitCode.ShouldBe(64);
                other.Text.ShouldContain("0 of 0 dead letter(s) redriven.");
                other.Error.ShouldContain("Existing reasons: too-large (30).");

                WorkerCommand redrive =
                    await WorkerCommand.RunAsync("redrive", $"--DeadLetters:Path={folder.FullName}", "--url", repaired.Url.ToString(), "--reason", "too-large");
                redrive.ExitCode.ShouldBe(0, redrive.Text);
                redrive.Text.ShouldContain("30 of 30 dead letter(s) redriven.");
                (await repaired.StopAsync()).ShouldBe(0);
            }

            await sink.ShouldHoldExactlyAsync(messages);
            DeadLetterFolder.Read(folder.FullName).ShouldBeEmpty();
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task Redrive_SqsAfterTheLimitWasRaised_StoresTheMessagesAndEmptiesTheDeadLetterQueue()
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(SinkKind.Directory, aws, realS3);
        string[] sqs = [.. RunningWorker.SqsArguments(endpoint, queue)];
        ArchiveMessage[] messages = [.. Enumerable.Range(0, 30).Select(number => ArchiveMessage.Create($"redriven-{number}", 2_000))];
        await queue.SendAllAsync(messages.Select(message => message.Text));
        await using (RunningWorker strict = await RunningWorker.StartAsync([.. sqs, .. sink.Arguments, LowLimit]))
        {
            await queue.WaitForCountAsync(counts => counts.Total == 0);
            (await strict.StopAsync()).ShouldBe(0);
        }

        (await deadLetters.CountAsync()).Total.ShouldBe(messages.Length);
        WorkerCommand redrive = await WorkerCommand.RunAsync(["redrive", "--from", "sqs", "--reason", "too-large", .. sqs]);
        redrive.ExitCode.ShouldBe(0, redrive.Text);
        redrive.Text.ShouldContain("30 of 30 dead letter(s) redriven.");
        (await deadLetters.CountAsync()).Total.ShouldBe(0);

        await using (RunningWorker repaired = await RunningWorker.StartAsync([.. sqs, .. sink.Arguments]))
        {
            await queue.WaitForCountAsync(counts => counts.Total == 0);
            (await repaired.StopAsync()).ShouldBe(0);
        }

        await sink.ShouldHoldExactlyAsync(messages);
        (await deadLetters.CountAsync()).Total.ShouldBe(0);
    }

    [Fact]
    public async Task Publish_ToHttpAndToSqs_ArrivesAndIsStored()
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(SinkKind.Directory, aws, realS3);
        string[] sqs = [.. RunningWorker.SqsArguments(endpoint, queue)];
        await using RunningWorker worker = await RunningWorker.StartAsync([.. sqs, .. sink.Arguments, "--Routes:archive:Source=Sqs,Http"]);

        WorkerCommand http = await WorkerCommand.RunAsync("publish", "--to", "http", "--count", "100", "--url", worker.Url.ToString());
        WorkerCommand toQueue = await WorkerCommand.RunAsync(["publish", "--to", "sqs", "--count", "100", .. sqs]);

        http.ExitCode.ShouldBe(0, http.Text);
        toQueue.ExitCode.ShouldBe(0, toQueue.Text);
        await queue.WaitForCountAsync(counts => counts.Total == 0);
        JsonNode route = (await worker.HealthAsync()).Route;
        (route["stored"]!.GetValue<long>(), route["deadLetters"]!.GetValue<long>()).ShouldBe((200, 0));
        (await worker.StopAsync()).ShouldBe(0);
        (await sink.ReadAllAsync()).Count.ShouldBe(200);
    }
}
