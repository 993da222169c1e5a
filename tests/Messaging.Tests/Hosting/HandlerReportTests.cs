using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Sources.Channels;
using Shared.Hosting;

namespace Messaging.Tests.Hosting;

/// <summary>The report of a route's handler when the worker stops.</summary>
public sealed class HandlerReportTests
{
    private const int ReportId = 1110;

    [Fact]
    public async Task Stop_KeysWereMadeWithoutAProperty_IsLoggedWithTheRules()
    {
        RecordingLog log = await RunAsync("""{"EventDateUtc":"2026-01-31T10:00:00Z","SiteKey":"s","EventName":"e","MessageId":"m"}""");

        LogEntry report = log.Entries.Where(entry => entry.Id.Id == ReportId).ShouldHaveSingleItem();
        report.Level.ShouldBe(LogLevel.Warning);
        report.Text.ShouldContain("Product missing 1");
    }

    [Fact]
    public async Task Stop_HandlerHasNoReport_LogsNothing()
    {
        RecordingLog log = await RunAsync("""{"EventDateUtc":"2026-01-31T10:00:00Z","Product":"p","SiteKey":"s","EventName":"e","MessageId":"m"}""");

        log.Entries.ShouldNotContain(entry => entry.Id.Id == ReportId);
    }

    private static async Task<RecordingLog> RunAsync(string body)
    {
        RecordingLog log = new();
        IConfigurationRoot configuration = WorkerConfiguration.Build(
            configFile: null,
            ["--Routes:archive:Source=Channel", "--Routes:archive:Sink=Memory", "--Sinks:Memory:AllowLoss=true", "--Hosting:Url=http://127.0.0.1:0"],
            readSettingsFile: false);
        using IHost app = WorkerHost.Build(configuration, logging => logging.AddProvider(log));
        await app.StartAsync();
        await app.Services
            .GetRequiredService<ChannelPublishers>()
            .For("archive")
            .PublishAsync(System.Text.Encoding.UTF8.GetBytes(body), "m", CancellationToken.None);
        await app.StopAsync();
        app.Services.GetRequiredService<WorkerService>().Routes.ShouldHaveSingleItem().Metrics.Totals.Stored.ShouldBe(1);
        return log;
    }
}
