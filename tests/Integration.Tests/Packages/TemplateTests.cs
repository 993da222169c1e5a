using System.Net;
using System.Runtime.InteropServices;
using System.Text;
using Integration.Tests.Processes;

namespace Integration.Tests.Packages;

/// <summary>The template builds with the packages in its folder, its tests pass, and what its Dockerfile publishes runs trimmed, or as machine code.</summary>
[Collection(PackageCollection.Name)]
[Trait("Category", "Long")]
public sealed class TemplateTests(PackedPackages packages)
{
    // Not a C# identifier: paths use it unchanged, namespaces use my_orders.
    private const string Name = "my-orders";

    [Fact]
    public async Task Template_Instantiated_PassesItsTestsAndItsDockerfilePublishesWithoutWarnings()
    {
        using NewcomerFolder folder = new();
        string[] hive = ["--debug:custom-hive", folder.Combine(".hive")];
        await DotnetCommand.RunAsync(folder.Path, ["new", "install", packages.PathOf("Quayside.Templates"), .. hive]);
        await DotnetCommand.RunAsync(folder.Path, ["new", "quayside-worker", "-n", Name, .. hive]);
        string solution = folder.Combine(Name);
        foreach (string id in packages.Ids)
        {
            File.Copy(packages.PathOf(id), Path.Combine(solution, "packages", Path.GetFileName(packages.PathOf(id))));
        }

        string tests = await DotnetCommand.RunAsync(solution, "test", "-warnaserror", "-warnnotaserror:NU1900");
        tests.ShouldContain("Failed:     0");
        tests.ShouldNotContain("Passed:     0");

        // Published by its Dockerfile, from what that copies. The compiler to machine code takes minutes on a small machine: where the worker is native
        // (tests/native/run), so is this.
        using DockerBuild image = new(solution);
        string[] trimmed = ["-r", RuntimeInformation.RuntimeIdentifier, "--self-contained", "-p:PublishTrimmed=true", "-p:TrimmerSingleWarn=false"];
        string publish = await image.RunAsync(
            "publish",
            command => WorkerProcess.IsNative ? command : [.. command.Where(word => word != "-p:Native=true"), .. trimmed]);
        publish.ShouldNotContain("warning IL");
        await ShouldAnswerAsync(Path.Combine(image.App, Name), folder.Combine("data"));
    }

    private static async Task ShouldAnswerAsync(string program, string data)
    {
        await using CapturedProcess worker = CapturedProcess.Start(program, "--Hosting:Url=http://127.0.0.1:0", $"--Sinks:Directory:Path={data}");
        CapturedLine listening = await worker.WaitForLineAsync("Listening on http://");
        Uri address = new(listening.Text.Split(' ').Single(word => word.StartsWith("http://", StringComparison.Ordinal)).TrimEnd(':'));
        using HttpClient client = new() { BaseAddress = address };

        (await StatusAsync(client, "orders", """{"orderId":"4711","total":12.5}""")).ShouldBe(HttpStatusCode.OK);
        (await StatusAsync(client, "orders", """{"orderId":"4711"}""")).ShouldBe(HttpStatusCode.UnprocessableEntity);
        (await StatusAsync(client, "archive", """{"orderId":"4711"}""")).ShouldBe(HttpStatusCode.OK);
        (await File.ReadAllTextAsync(Path.Combine(data, "orders", "4711.json"))).ShouldBe("""{"orderId":"4711"}""");

        await worker.SignalAsync(ProcessSignal.Terminate);
        (await worker.WaitForExitAsync()).ShouldBe(0);
    }

    private static async Task<HttpStatusCode> StatusAsync(HttpClient client, string route, string body)
    {
        using StringContent content = new(body, Encoding.UTF8, "application/json");
        using HttpResponseMessage response = await client.PostAsync($"/messages/{route}", content);
        return response.StatusCode;
    }
}
