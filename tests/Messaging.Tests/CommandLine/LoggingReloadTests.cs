using System.Diagnostics;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.CommandLine;

namespace Messaging.Tests.CommandLine;

/// <summary>The section Logging of a file is applied while the worker runs, however the file is changed.</summary>
public sealed class LoggingReloadTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("logging-").FullName;
    private readonly RecordingLog _log = new();
    private readonly ManualTimeProvider _time = new(TimeProvider.System.GetUtcNow());

    private string Settings => Path.Combine(_folder, "settings.json");

    private IEnumerable<LogEntry> Events => _log.Entries.Where(static entry => entry.Id.Id is 1115 or 1116);

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void EditedInPlace_IsApplied_AndLogged()
    {
        File.WriteAllText(Settings, LevelOf("Information"));
        using ServiceProvider services = Build();
        (ILogger logger, LoggingReload reload) = Parts(services);
        reload.Refresh();
        Events.ShouldBeEmpty("Nothing has changed.");

        File.WriteAllText(Settings, LevelOf("Debug"));
        reload.Refresh();

        logger.IsEnabled(LogLevel.Debug).ShouldBeTrue("A logger that was there before follows.");
        Events.ShouldHaveSingleItem().Text.ShouldBe("The section Logging was changed while the worker runs: Logging:LogLevel:Default=Debug");

        File.WriteAllText(Settings, "{ \"Intake\": { \"Concurrency\": 7 } }");
        reload.Refresh();
        logger.IsEnabled(LogLevel.Debug).ShouldBeFalse();
        logger.IsEnabled(LogLevel.Information).ShouldBeTrue("That is .NET's own default.");
        services.GetRequiredService<IConfiguration>()["Intake:Concurrency"].ShouldBeNull("Other settings need a restart.");
    }

    [Fact]
    public void ReplacedByAnotherFile_IsApplied()
    {
        File.WriteAllText(Settings, LevelOf("Information"));
        using ServiceProvider services = Build();
        (ILogger logger, LoggingReload reload) = Parts(services);
        File.WriteAllText($"{Settings}.new", LevelOf("Trace"));

        // As some editors do: for a moment there is no file.
        File.Delete(Settings);
        reload.Refresh();
        logger.IsEnabled(LogLevel.Information).ShouldBeTrue();
        File.Move($"{Settings}.new", Settings);
        reload.Refresh();

        logger.IsEnabled(LogLevel.Trace).ShouldBeTrue();
        Events.ShouldHaveSingleItem().Id.Id.ShouldBe(1115, "A file that is missing once is being replaced.");
    }

    [Fact]
    public void LinkOfAConfigMap_IsFollowed()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The kubelet's, with its mv.");
        AddVersion("..one", "Information");
        Directory.CreateSymbolicLink(Path.Combine(_folder, "..data"), "..one");
        File.CreateSymbolicLink(Settings, Path.Combine("..data", "settings.json"));
        using ServiceProvider services = Build();
        (ILogger logger, LoggingReload reload) = Parts(services);
        reload.Refresh();

        // As the kubelet does: a new folder, and a link that is renamed over the old one.
        AddVersion("..two", "Debug");
        Directory.CreateSymbolicLink(Path.Combine(_folder, "..data_tmp"), "..two");
        using (Process move = Process.Start("mv", ["-T", Path.Combine(_folder, "..data_tmp"), Path.Combine(_folder, "..data")]))
        {
            move.WaitForExit();
            move.ExitCode.ShouldBe(0);
        }

        Directory.Delete(Path.Combine(_folder, "..one"), recursive: true);
        reload.Refresh();

        logger.IsEnabled(LogLevel.Debug).ShouldBeTrue();
        Events.ShouldHaveSingleItem().Id.Id.ShouldBe(1115);
    }

    [Theory]
    [InlineData("{ \"Logging\": { \"LogLevel\": {\n \"Default\": ", "It is not JSON from line 2, byte")]
    [InlineData("", "is empty.")]
    [InlineData("[]", "object")]
    [InlineData("{ \"Logging\": { \"LogLevel\": { \"Default\": \"Loud\" } } }", "Logging:LogLevel:Default = \"Loud\": must be one of Trace, Debug")]
    [InlineData("{ \"Logging\": { \"Console\": { \"MaxQueueLength\": \"many\" } } }", "'many'")]
    public void FileThatCannotBeUsed_ChangesNothing_AndIsLoggedOnce(string content, string problem)
    {
        File.WriteAllText(Settings, LevelOf("Debug"));
        using ServiceProvider services = Build();
        (ILogger logger, LoggingReload reload) = Parts(services);
        reload.Refresh();

        File.WriteAllText(Settings, content);
        reload.Refresh();
        Events.ShouldBeEmpty("It may be just being written.");
        reload.Refresh();
        reload.Refresh();

        LogEntry warning = Events.ShouldHaveSingleItem();
        warning.Id.Id.ShouldBe(1116);
        warning.Level.ShouldBe(LogLevel.Warning);
        warning.Text.ShouldContain(problem);
        logger.IsEnabled(LogLevel.Debug).ShouldBeTrue("What was stays.");

        File.WriteAllText(Settings, LevelOf("Warning"));
        reload.Refresh();
        logger.IsEnabled(LogLevel.Information).ShouldBeFalse("A file that can be used again is applied.");
    }

    [Fact]
    public void CommandLine_WinsOverTheFile()
    {
        File.WriteAllText(Settings, LevelOf("Information"));
        using ServiceProvider services = Build("--Logging:LogLevel:Default=Warning");
        (ILogger logger, LoggingReload reload) = Parts(services);

        File.WriteAllText(Settings, LevelOf("Debug"));
        reload.Refresh();

        logger.IsEnabled(LogLevel.Information).ShouldBeFalse();
        Events.ShouldBeEmpty();
    }

    [Fact]
    public async Task RunningWorker_ReadsTheFileEvery5Seconds()
    {
        File.WriteAllText(Settings, LevelOf("Information"));
        using ServiceProvider services = Build();
        (ILogger logger, LoggingReload reload) = Parts(services);
        await reload.StartAsync(CancellationToken.None);
        await _time.WaitForTimersAsync(1);
        File.WriteAllText(Settings, LevelOf("Debug"));

        // It waits again once it has read.
        _time.Advance(LoggingReload.Interval);
        await _time.WaitForTimersAsync(1);

        logger.IsEnabled(LogLevel.Debug).ShouldBeTrue();
        await reload.StopAsync(CancellationToken.None);
    }

    private static string LevelOf(string level) => $$"""{ "Logging": { "LogLevel": { "Default": "{{level}}" } } }""";

    private static (ILogger Logger, LoggingReload Reload) Parts(ServiceProvider services) => (
        services.GetRequiredService<ILoggerFactory>().CreateLogger("Shop.Orders"),
        services.GetServices<IHostedService>().OfType<LoggingReload>().Single());

    private void AddVersion(string name, string level)
    {
        Directory.CreateDirectory(Path.Combine(_folder, name));
        File.WriteAllText(Path.Combine(_folder, name, "settings.json"), LevelOf(level));
    }

    private ServiceProvider Build(params string[] keys)
    {
        IConfigurationRoot configuration = WorkerConfiguration.Build(Settings, keys, readSettingsFile: false);
        return new ServiceCollection()
            .AddSingleton<IConfiguration>(configuration)
            .AddSingleton<TimeProvider>(_time)
            .AddLogging(logging =>
            {
                ConsoleLogging.Configure(logging, configuration);
                logging.AddProvider(_log);
            })
            .BuildServiceProvider();
    }
}
