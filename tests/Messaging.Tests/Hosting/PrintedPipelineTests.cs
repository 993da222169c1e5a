using System.Runtime.CompilerServices;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Hosting;
using Quayside.Pipeline.Execution;
using Shared.Hosting;

namespace Messaging.Tests.Hosting;

/// <summary>The worker's chain, approved as text, so that no change of it goes unnoticed.</summary>
public sealed class PrintedPipelineTests
{
    public static TheoryData<string> Forms => [.. PipelineForm.All.Select(form => form.Name)];

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task Description_OfTheArchiveRoute_IsTheApprovedText(string form)
    {
        IConfigurationRoot configuration = WorkerConfiguration.Build(
            configFile: null,
            ["--Routes:archive:Sink=Memory", "--Hosting:Url=http://127.0.0.1:0", $"--Pipeline:Form={form}"],
            readSettingsFile: false);
        using IHost app = WorkerHost.Build(configuration);
        WorkerService worker = app.Services.GetRequiredService<WorkerService>();
        await app.StartAsync(TestContext.Current.CancellationToken);
        MessageRoute route = worker.Routes.ShouldHaveSingleItem();
        await app.StopAsync(TestContext.Current.CancellationToken);

        string approved = Path.Combine(Folder(), "Approved", $"archive.{form}.txt");
        if (Environment.GetEnvironmentVariable("APPROVE") == "1")
        {
            await File.WriteAllTextAsync(approved, route.Pipeline.Description, TestContext.Current.CancellationToken);
        }

        route.Pipeline.Description.ShouldBe(await File.ReadAllTextAsync(approved, TestContext.Current.CancellationToken));
    }

    private static string Folder([CallerFilePath] string file = "") => Path.GetDirectoryName(file)!;
}
