using System.Net;
using System.Text.Json.Nodes;
using Integration.Tests.Processes;
using Integration.Tests.Servers;
using Integration.Tests.Worker;

namespace Integration.Tests.CommandLine;

/// <summary><c>health</c> against a running worker, as the health check of a container calls it.</summary>
public sealed class HealthCommandTests
{
    [Fact]
    public async Task Health_OfAWorkerOnEveryAddressWithoutAToken_IsItsPage()
    {
        await using DirectoryUnderTest sink = new();
        int port = FreePort.Next();
        await using WorkerProcess worker = WorkerProcess.Start(["--Routes:archive:Source=Http", .. sink.Arguments, $"--Hosting:Url=http://0.0.0.0:{port}"]);
        await worker.WaitForLineAsync("Listening on http://");

        // The address is that of the settings, as in a container.
        WorkerCommand live = await WorkerCommand.RunAsync("health", $"--Hosting:Url=http://0.0.0.0:{port}");
        WorkerCommand ready = await WorkerCommand.RunAsync("health", "--ready", "--url", $"http://127.0.0.1:{port}");

        foreach (WorkerCommand health in (WorkerCommand[])[live, ready])
        {
            health.ExitCode.ShouldBe(0, health.Text);
            JsonNode page = JsonNode.Parse(health.Text)!;
            page["status"]!.GetValue<string>().ShouldBe("healthy");
            page["routes"]!.AsArray().Single()!["route"]!.GetValue<string>().ShouldBe("archive");
        }
    }

    [Fact]
    public async Task Health_SinkFails_IsLiveAndNotReady()
    {
        await using RunningWorker worker = await RunningWorker.StartAsync(
            ["--Routes:archive:Source=Http", "--Routes:archive:Sink=S3", "--Sinks:S3:Bucket=nowhere", "--Aws:Endpoint=http://127.0.0.1:1",
                "--Aws:Region=eu-central-1", "--Aws:AccessKeyId=a", "--Aws:SecretAccessKey=b"]);
        await worker.WaitForHealthAsync(HttpStatusCode.ServiceUnavailable);

        (await WorkerCommand.RunAsync("health", "--url", worker.Url.ToString())).ExitCode.ShouldBe(0);
        WorkerCommand ready = await WorkerCommand.RunAsync("health", "--ready", "--url", worker.Url.ToString());
        ready.ExitCode.ShouldBe(1, ready.Text);
        JsonNode.Parse(ready.Text)!["status"]!.GetValue<string>().ShouldBe("unhealthy");
    }

    [Fact]
    public async Task Health_NoWorker_SaysWhatToDo()
    {
        WorkerCommand health = await WorkerCommand.RunAsync("health", "--url", "http://127.0.0.1:1");

        health.ExitCode.ShouldBe(69);
        health.ShouldHaveNoStackTrace().Error.ShouldContain("No worker answers at http://127.0.0.1:1/");
    }
}
