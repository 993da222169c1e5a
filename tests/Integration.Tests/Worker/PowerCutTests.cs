using System.Net;
using System.Text;
using System.Text.Json.Nodes;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>A power cut takes what is not on the disk: the worker's system calls show that no message is answered before it is there.</summary>
public sealed class PowerCutTests : IDisposable
{
    private const int Messages = 150;
    private const int Callers = 12;

    // Which of two calls a machine has depends on its processor: a question mark lets strace pass over the other.
    private const string Traced = "openat,pwrite64,fsync,fdatasync,?link,?linkat,?unlink,?unlinkat,?mkdir,?mkdirat,sendto,sendmsg";

    private readonly string _folder = Directory.CreateTempSubdirectory("power-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Post_PowerIsCutAfterAnyAnswer_TheMessageIsThere()
    {
        PowerCut found = await RunAsync();

        found.NamedTooEarly.ShouldBeEmpty();
        found.Lost.ShouldBeEmpty();
        found.Answers.ShouldBe(Messages);
    }

    [Fact]
    public async Task Post_WithoutFsync_TheCheckFindsWhatIsLost()
    {
        PowerCut found = await RunAsync("--Sinks:Directory:Fsync=false");

        found.NamedTooEarly.ShouldNotBeEmpty();
        found.Lost.Count.ShouldBeGreaterThan(Messages / 2);
    }

    private async Task<PowerCut> RunAsync(params string[] settings)
    {
        if (!File.Exists("/usr/bin/strace"))
        {
            RequiredServers.Missing("There is no /usr/bin/strace: install Debian's package strace.");
        }

        string trace = Path.Combine(_folder, "calls");

        // -D: the worker keeps its process id, and strace follows as its grandchild.
        string[] strace = ["strace", "-D", "-f", "-q", "-y", "--seccomp-bpf", "-s", "1000", "-e", $"trace={Traced}", "-e", "signal=none", "-o", trace];
        await using RunningWorker worker = await RunningWorker.StartAsync(
            ["--Routes:archive:Source=Http", "--Handlers:Archive:Template={Folder}/{MessageId}.json", $"--Sinks:Directory:Path={_folder}/objects",
                $"--DeadLetters:Path={_folder}/letters", .. settings],
            launcher: strace);

        List<(string Id, string Name)>[] answered = await Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => PostAsync(worker, caller)));
        (await worker.StopAsync()).ShouldBe(0);
        await Eventually.BecomesTrueAsync(
            () => File
                .ReadLines(trace)
                .Any(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries) is [var thread, "+++", "exited", ..] && thread == $"{worker.Process.Id}"),
                "strace has written everything");

        Dictionary<string, string> names = answered.SelectMany(some => some).ToDictionary(one => one.Id, one => one.Name);
        PowerCutModel model = new();
        List<string> lost = [];
        int answers = 0;
        foreach (string id in File.ReadLines(trace).Select(model.Read).OfType<string>())
        {
            answers++;
            lost.AddRange(model.WouldLose(names[id]));
        }

        return new(answers, lost, model.NamedTooEarly);
    }

    /// <returns>For each message the id in its answer, and what the names of its files contain.</returns>
    private static async Task<List<(string Id, string Name)>> PostAsync(RunningWorker worker, int caller)
    {
        List<(string Id, string Name)> answers = [];
        for (int number = caller; number < Messages; number += Callers)
        {
            bool isPoison = number % 10 == 9;
            string body = $"{{\"MessageId\":\"m-{number}-\",\"Folder\":\"f{number % 5}\"{(isPoison ? string.Empty : "}")}";
            (HttpStatusCode status, JsonNode answer) = await worker.PostAsync(Encoding.UTF8.GetBytes(body));
            status.ShouldBe(isPoison ? HttpStatusCode.UnprocessableEntity : HttpStatusCode.OK);
            string id = answer["id"]!.GetValue<string>();
            answers.Add((id, isPoison ? id : $"m-{number}-"));
        }

        return answers;
    }

    private sealed record PowerCut(int Answers, List<string> Lost, List<string> NamedTooEarly);
}
