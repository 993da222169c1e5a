using System.Collections.Concurrent;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.CommandLine;
using Shared.Hosting;

namespace Messaging.Tests.CommandLine;

/// <summary>What can be tested where no service control manager runs.</summary>
public sealed class WindowsServiceTests
{
    [Fact]
    public async Task Program_NotAService_IsRunAsItIs()
    {
        string folder = Directory.GetCurrentDirectory();
        TextWriter error = Console.Error;

        int code =
            await WindowsService.RunAsync(() => Task.FromResult(Directory.GetCurrentDirectory() == folder && ReferenceEquals(Console.Error, error) ? 17 : 0));

        code.ShouldBe(17);
    }

    [Fact]
    public void Host_NotAService_KeepsItsSignalsFolderAndLogs()
    {
        using IHost host = WorkerHost.Build(WorkerConfiguration.Build(configFile: null, ["--Routes:archive:Sink=Directory"], readSettingsFile: false));

        host.Services.GetRequiredService<IHostLifetime>().GetType().Name.ShouldBe("SignalLifetime");
        host.Services.GetServices<ILoggerProvider>().ShouldNotContain(provider => provider.GetType().Name == "EventLogLoggerProvider");
        Path.TrimEndingDirectorySeparator(host.Services.GetRequiredService<IHostEnvironment>().ContentRootPath).ShouldBe(Directory.GetCurrentDirectory());
    }

    [Fact]
    public async Task Service_RunsInTheProgramsFolder_AndReportsWhatItWroteToStandardError()
    {
        ConcurrentQueue<string> calls = [];
        TextWriter? error = null;

        int code = await WindowsService.RunAsync(
            async () =>
            {
                calls.Enqueue("run");
                await error!.WriteLineAsync("Sinks:S3:Bucket is missing");
                return 78;
            },
            folder => calls.Enqueue($"enter {folder}"),
            writer => error = writer,
            text => calls.Enqueue($"report {text}"));

        code.ShouldBe(78);
        calls.ShouldBe([$"enter {AppContext.BaseDirectory}", "run", "report Sinks:S3:Bucket is missing"]);
    }

    [Fact]
    public async Task Service_WithoutErrors_ReportsNothing_AndCutsWhatTheLogCannotHold()
    {
        List<string> reports = [];
        foreach (int length in (int[])[0, 40_000])
        {
            TextWriter? error = null;
            await WindowsService.RunAsync(
                async () =>
                {
                    await error!.WriteAsync(new string('x', length));
                    return 0;
                },
                _ => { },
                writer => error = writer,
                reports.Add);
        }

        reports.ShouldHaveSingleItem().Length.ShouldBe(31_000);
    }

    [Theory]
    [InlineData("Error, Critical")]
    [InlineData("Warning, Error, Critical", "Logging:EventLog:LogLevel:Default=Warning")]
    [InlineData("Error, Critical", "Logging:LogLevel:Default=Trace")]
    public void EventLog_TakesErrorsOnly_UnlessTheConfigurationAsksForMore(string levels, params string[] keys)
    {
        IConfiguration configuration = WorkerConfiguration.Build(configFile: null, [.. keys.Select(key => $"--{key}")], readSettingsFile: false);
        using FakeEventLog log = new();
        using ILoggerFactory factory = LoggerFactory.Create(logging =>
        {
            WindowsService.LimitEventLog(logging);
            ConsoleLogging.Configure(logging, configuration);
            logging.ClearProviders().AddProvider(log);
        });

        foreach (string category in (string[])["Quayside.Messaging.Intake", "Microsoft.Extensions.Hosting.Internal.Host"])
        {
            ILogger logger = factory.CreateLogger(category);
            foreach (LogLevel level in Enum.GetValues<LogLevel>().Where(level => level != LogLevel.None))
            {
                logger.Log(level, "{Category}", category);
            }
        }

        string.Join(", ", log.Entries.Entries.Select(entry => entry.Level)).ShouldBe(levels, "The host's own errors are reported by the command line.");
    }

    [ProviderAlias("EventLog")]
    private sealed class FakeEventLog : ILoggerProvider
    {
        public RecordingLog Entries { get; } = new();

        public ILogger CreateLogger(string categoryName) => ((ILoggerProvider)Entries).CreateLogger(categoryName);

        public void Dispose() => Entries.Dispose();
    }
}
