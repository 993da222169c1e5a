using System.Net;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json.Nodes;

namespace Integration.Tests.Worker;

/// <summary>What an operator does with the dead letters of a queue one by one, in the same way for each broker.</summary>
/// <param name="store">The name for <c>redrive --from</c>.</param>
/// <param name="arguments">The worker's command line for the queue.</param>
/// <param name="environment">Its environment.</param>
/// <param name="deadLetters">Counts the messages in the dead-letter queue.</param>
internal sealed class QueueLetters(
    string store, IReadOnlyList<string> arguments, IReadOnlyList<KeyValuePair<string, string>>? environment, Func<Task<int>> deadLetters) : IDisposable
{
    private const string Token = "a-token-of-the-tests";

    /// <summary>The largest message that the first worker takes.</summary>
    public const string LowLimit = "--Stages:MaxMessageBytes=1KiB";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("letters-");

    /// <summary>The folder of the dead letters.</summary>
    public string Folder => _folder.FullName;

    /// <summary>
    /// Three messages became dead letters: <c>{</c>, and two that are larger than <see cref="LowLimit"/>. One is sent to the queue by its id; the others are
    /// moved to the folder, one by its id, one by the running worker; there the first is corrected and all are redriven to the queue.
    /// </summary>
    /// <param name="large">The two.</param>
    /// <param name="template">Of the object keys; shows what came back beside the bodies.</param>
    /// <param name="key">The object key of a message, by its id; <c>corrected</c> is what <c>{</c> became.</param>
    public async Task RepairAsync(ArchiveMessage[] large, string template, Func<string, string> key)
    {
        await using DirectoryUnderTest sink = new();
        await using (RunningWorker strict = await RunningWorker.StartAsync([.. arguments, .. sink.Arguments, LowLimit], environment))
        {
            await Eventually.BecomesTrueAsync(async () => await deadLetters() == 3, "three dead letters");
            (await strict.StopAsync()).ShouldBe(0);
        }

        // Reason, id, and what else the store has.
        string[][] listed = [.. (await RunAsync(0, "--dry-run")).Output.Split('\n').Select(line => line.Split("  ")).Where(columns => columns.Length > 2)];
        string malformed = listed.Single(columns => columns[0] == "malformed-json")[1];
        string[] tooLarge = [.. listed.Where(columns => columns[0] == "too-large").Select(columns => columns[1])];
        tooLarge.Length.ShouldBe(2);

        (await RunAsync(1, "--id", "no-such-id")).Error.ShouldContain("has no dead letter with the id no-such-id");
        (await RunAsync(0, "--id", tooLarge[0])).Text.ShouldContain("1 of 1 dead letter(s) redriven.");
        (await RunAsync(0, "--to", "folder", "--id", malformed)).Text.ShouldContain("1 of 1 dead letter(s) moved to the folder.");
        await Eventually.BecomesTrueAsync(async () => await deadLetters() == 1, "one dead letter stays");
        (JsonNode record, byte[] body) = DeadLetterFolder.Read(Folder).ShouldHaveSingleItem();
        body.ShouldBe("{"u8.ToArray());
        ((string)record["source"]!, (string)record["route"]!, (string)record["handler"]!, (string)record["reason"]!, (int)record["attempts"]!,
            (string)record["attributes"]!["tenant"]!)
            .ShouldBe((store, "archive", "Archive", "malformed-json", 1, "north"));
        record["attributes"]!.AsObject().Count.ShouldBe(1);
        ((string)record["description"]!).ShouldNotBeEmpty();
        (record["lastSeen"]!.GetValue<DateTimeOffset>() - DateTimeOffset.UtcNow).Duration().ShouldBeLessThan(TimeSpan.FromMinutes(10));

        await using RunningWorker repaired = await RunningWorker.StartAsync(
            [.. arguments, .. sink.Arguments, $"--Handlers:Archive:Template={template}", $"--DeadLetters:Path={Folder}", $"--Hosting:Token={Token}"],
            environment);
        await Eventually.BecomesTrueAsync(async () => (await sink.ReadAllAsync()).Count == 1, "the message that was sent to the queue by its id is stored");

        // As the page does it: a look into the queue, which changes nothing, and the move.
        string listing = (string)(await ChangeAsync("redrive", dryRun: true))["listing"]!;
        listing.ShouldContain($"too-large  {tooLarge[1]}");
        string stored = Encoding.UTF8.GetString((await sink.ReadAllAsync()).Single().Value);
        listing.ShouldContain(large.Single(message => message.Text != stored).Text[..100]);
        (await deadLetters()).ShouldBe(1);
        JsonNode moved = await ChangeAsync("dead-letters/move", dryRun: false);
        ((int)moved["sent"]!, (int)moved["left"]!, (string)moved["queue"]!).ShouldBe((1, 0, "archive"));
        ((string)moved["notes"]![0]!).ShouldContain(Folder);
        (await deadLetters()).ShouldBe(0);
        string name = (await LettersAsync(0, "list", "--reason", "malformed-json")).Output.Split("  ")[0];
        ArchiveMessage corrected = ArchiveMessage.Create("corrected");
        string file =
            Directory.GetFiles(Folder, "*.body", SearchOption.AllDirectories).Single(path => path.Contains("malformed-json", StringComparison.Ordinal));
        await File.WriteAllBytesAsync(file, corrected.Body, TestContext.Current.CancellationToken);
        (await LettersAsync(0, "redrive", "--name", name)).Text.ShouldContain("1 found, 1 redriven, 0 left");
        (await LettersAsync(0, "redrive", "--all")).Text.ShouldContain("1 found, 1 redriven, 0 left");
        ArchiveMessage[] all = [.. large, corrected];
        await Eventually.BecomesTrueAsync(async () => (await sink.ReadAllAsync()).Count == all.Length, "all are stored");
        (await repaired.StopAsync()).ShouldBe(0);

        (await sink.ReadAllAsync()).Select(one => $"{one.Key} {Encoding.UTF8.GetString(one.Value)}")
            .ShouldBe(all.Select(message => $"{key(message.Id)} {message.Text}"), ignoreOrder: true);
        (await deadLetters()).ShouldBe(0);

        async Task<JsonNode> ChangeAsync(string path, bool dryRun)
        {
            using HttpClient client = new() { BaseAddress = repaired.Url, DefaultRequestHeaders = { Authorization = new("Bearer", Token) } };
            using HttpResponseMessage started =
                await client.PostAsJsonAsync($"/api/v1/{path}", new { queue = new { route = "archive" }, reason = "too-large", dryRun });
            started.StatusCode.ShouldBe(HttpStatusCode.Accepted);
            JsonNode? state = null;
            await Eventually.BecomesTrueAsync(
                async () => (string)(state = await client.GetFromJsonAsync<JsonNode>("/api/v1/redrive"))!["state"]! == "done", "the run ends");
            state!["problem"].ShouldBeNull();
            return state;
        }

        async Task<WorkerCommand> LettersAsync(int exitCode, params string[] command)
        {
            WorkerCommand run = (await WorkerCommand.RunAsync(
                ["dead-letters", .. command, "--url", repaired.Url.ToString(), $"--Hosting:Token={Token}"])).ShouldHaveNoStackTrace();
            run.ExitCode.ShouldBe(exitCode, run.Text);
            return run;
        }
    }

    public void Dispose() => _folder.Delete(recursive: true);

    private async Task<WorkerCommand> RunAsync(int exitCode, params string[] command)
    {
        WorkerCommand run = (await WorkerCommand.RunAsync(
            ["redrive", "--from", store, .. command, .. arguments, $"--DeadLetters:Path={Folder}"], environment)).ShouldHaveNoStackTrace();
        run.ExitCode.ShouldBe(exitCode, run.Text);
        return run;
    }
}
