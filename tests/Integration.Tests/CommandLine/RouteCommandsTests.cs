using System.Net;
using System.Text.RegularExpressions;
using Integration.Tests.Worker;

namespace Integration.Tests.CommandLine;

/// <summary><c>pause</c> and <c>resume</c> against a running worker.</summary>
public sealed class RouteCommandsTests
{
    private const string Token = "a-token-of-the-tests";

    [Fact]
    public async Task Pause_StopsReceiving_IsShownByStatus_AndResumeEndsIt()
    {
        await using RunningWorker worker =
            await RunningWorker.StartAsync(["--Routes:archive:Source=Http", "--Routes:archive:Sink=Memory", $"--Hosting:Token={Token}"]);
        string url = worker.Url.ToString();

        WorkerCommand pause = await WorkerCommand.RunAsync("pause", "archive", "--note", "the store is moved", "--url", url, $"--Hosting:Token={Token}");

        pause.ExitCode.ShouldBe(0, pause.Error);
        pause.Text.ShouldMatch($"Route archive is paused. Resume it with: .*Worker(.dll)? resume archive --url {Regex.Escape(url.TrimEnd('/'))}");
        await worker.Process.WaitForLineAsync(@"\[1218\] Over the API, from 127\.0\.0\.1 with the token: pause route archive: the store is moved: done");
        WorkerCommand status = await WorkerCommand.RunAsync("status", "--url", url, $"--Hosting:Token={Token}");
        status.ExitCode.ShouldBe(0, "A pause is no failure.");
        status.Text.ShouldContain("paused");
        status.Text.ShouldContain("by the API, from 127.0.0.1: the store is moved.");
        using HttpClient client = new() { BaseAddress = worker.Url };
        using (HttpResponseMessage refused = await client.PostAsync("messages", new StringContent("{}")))
        {
            refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        }

        WorkerCommand resume = await WorkerCommand.RunAsync("resume", "archive", "--url", url, $"--Hosting:Token={Token}");

        resume.ExitCode.ShouldBe(0, resume.Error);
        using HttpResponseMessage answered = await client.PostAsync("messages", new StringContent("{}"));
        answered.StatusCode.ShouldBe(HttpStatusCode.UnprocessableEntity, "It is received again, and has no date.");
    }

    [Theory]
    [InlineData("other", Token, 64, "has no route of this name")]
    [InlineData("archive", "another-token-of-tests", 77, "in the variable Hosting__Token")]
    public async Task Pause_Refused_SaysWhatToDo(string route, string token, int exitCode, string advice)
    {
        await using RunningWorker worker =
            await RunningWorker.StartAsync(["--Routes:archive:Source=Http", "--Routes:archive:Sink=Memory", $"--Hosting:Token={Token}"]);

        WorkerCommand pause = await WorkerCommand.RunAsync("pause", route, "--url", worker.Url.ToString(), $"--Hosting:Token={token}");

        pause.ExitCode.ShouldBe(exitCode);
        pause.ShouldHaveNoStackTrace().Error.ShouldContain(advice);
    }
}
