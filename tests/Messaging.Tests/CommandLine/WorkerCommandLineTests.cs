using System.CommandLine;
using Messaging.Tests.Http.Web.Api;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;

namespace Messaging.Tests.CommandLine;

/// <summary>Commands and options that features add. Other tests run the commands as whole processes.</summary>
public sealed class WorkerCommandLineTests
{
    [Fact]
    public async Task Command_AddedByAFeature_RunsWithTheConfigurationOfItsArguments()
    {
        IConfigurationRoot? seen = null;

        int exitCode = await LookAsync((context, parsed) => seen = context.ReadConfiguration(parsed), "--Intake:Concurrency=9");

        exitCode.ShouldBe(ExitCodes.Success);
        seen.ShouldNotBeNull()["Intake:Concurrency"].ShouldBe("9");
    }

    [Fact]
    public async Task Config_FileThatBeginsWithADot_IsRead()
    {
        using TemporaryFolder folder = new();
        await File.WriteAllTextAsync(folder[".worker.json"], """{"Intake":{"Concurrency":9}}""");
        IConfigurationRoot? seen = null;

        int exitCode = await LookAsync((context, parsed) => seen = context.ReadConfiguration(parsed), "--config", folder[".worker.json"]);

        exitCode.ShouldBe(ExitCodes.Success);
        seen.ShouldNotBeNull()["Intake:Concurrency"].ShouldBe("9");
    }

    [Theory]
    [InlineData("", "\"\"")]
    [InlineData("nowhere.json", "nowhere.json")]
    [InlineData("nowhere/worker.json", "nowhere/worker.json")]
    public async Task Config_FileDoesNotExist_IsAConfigurationError(string file, string shown)
    {
        StartupException? error = null;

        await LookAsync((context, parsed) => error = Should.Throw<StartupException>(() => context.ReadConfiguration(parsed)), "--config", file);

        error.ShouldNotBeNull().ExitCode.ShouldBe(ExitCodes.Configuration);
        error.Message.ShouldBe($"--config {shown}: the file does not exist.");
    }

    [Fact]
    public async Task Config_IsAFolder_SaysSo()
    {
        using TemporaryFolder folder = new();
        StartupException? error = null;

        await LookAsync((context, parsed) => error = Should.Throw<StartupException>(() => context.ReadConfiguration(parsed)), "--config", folder.Path);

        error.ShouldNotBeNull().Message.ShouldBe($"--config {folder.Path}: is a folder, not a file.");
    }

    [Fact]
    public async Task Config_IsNotJson_SaysWhereCountedFromOne()
    {
        using TemporaryFolder folder = new();
        await File.WriteAllTextAsync(folder["worker.json"], "{\n  \"Routes\": }");
        StartupException? error = null;

        await LookAsync(
            (context, parsed) => error = Should.Throw<StartupException>(() => context.ReadConfiguration(parsed)), "--config", folder["worker.json"]);

        error.ShouldNotBeNull().Message.ShouldEndWith("It is not JSON from line 2, byte 13 on.");
    }

    [Theory]
    [InlineData("validate")]
    [InlineData("look")]
    public async Task Command_WithANameInUse_IsAConfigurationError(string name)
    {
        int exitCode = await WorkerCommandLine.RunAsync(["look"], worker => worker
            .AddCommand(_ => Look(_ => throw new InvalidOperationException("must not run")))
            .AddCommand(_ => new Command(name, "Another")));

        exitCode.ShouldBe(ExitCodes.Configuration);
    }

    [Fact]
    public async Task Command_Throws_IsADefectWithItsExitCode()
    {
        int exitCode =
            await WorkerCommandLine.RunAsync(["look"], worker => worker.AddCommand(_ => Look(_ => throw new InvalidOperationException("a test's defect"))));

        exitCode.ShouldBe(ExitCodes.Software);
    }

    [Fact]
    public async Task Configure_IsCalledOnceForADaemonToo()
    {
        int calls = 0;

        // The configuration is wrong, so the host is built and nothing starts.
        int exitCode = await WorkerCommandLine.RunAsync(["--Routes:a:Source=Pigeon"], _ => Interlocked.Increment(ref calls));

        exitCode.ShouldBe(ExitCodes.Configuration);
        calls.ShouldBe(1);
    }

    [Fact]
    public async Task Help_OfEveryCommand_ComesBeforeItsRequiredArguments()
    {
        RootCommand root = new WorkerCommandLine(global::Quayside.Worker.Program.AddFeatures).Build();
        string[][] commands = [.. Paths(root)];
        commands.Length.ShouldBeGreaterThan(15);

        foreach (string[] command in commands)
        {
            ParseResult parsed = root.Parse([.. command, "--help"]);

            parsed.Errors.ShouldBeEmpty(string.Join(' ', command));
            parsed.Action.ShouldBeOfType<SettingsHelp>(string.Join(' ', command));
        }

        (await WorkerCommandLine.RunAsync(["pause", "--help"], global::Quayside.Worker.Program.AddFeatures)).ShouldBe(ExitCodes.Success);

        static IEnumerable<string[]> Paths(Command command) =>
            [[], .. command.Subcommands.SelectMany(sub => Paths(sub).Select(path => (string[])[sub.Name, .. path]))];
    }

    [Theory]
    [InlineData("pause archiv")]
    [InlineData("resume archiv")]
    [InlineData("dead-letters list --route archiv")]
    [InlineData("dead-letters list --reason malformed-jso")]
    [InlineData("dead-letters redrive --reason malformed-jso --dry-run")]
    [InlineData("dead-letters discard --reason malformed-jso")]
    public async Task Name_ThatIsUnknown_IsAUsageErrorInEveryCommand(string command)
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Poison);

        (await RunAsync(command)).ShouldBe(ExitCodes.Usage);
        (await RunAsync(
            command.Replace("archiv", "archive", StringComparison.Ordinal).Replace("malformed-jso", "malformed-json", StringComparison.Ordinal))).ShouldBe(
                ExitCodes.Success);

        Task<int> RunAsync(string line) =>
            WorkerCommandLine.RunAsync(
                [.. line.Split(' '), "--url", host.Client.BaseAddress!.ToString(), $"--Hosting:Token={ApiHost.Token}"],
                global::Quayside.Worker.Program.AddFeatures);
    }

    [Theory]
    [InlineData("malformed-jso", "Did you mean malformed-json? ")]
    [InlineData("zzz", "")]
    public void Check_UnknownName_NamesTheNearestAndAll(string name, string hint) =>
        Should.Throw<StartupException>(() => UnknownArgument.Check("--reason", name, ["malformed-json", "too-large"])).Message
            .ShouldBe($"--reason {name}: there is none. {hint}There are: malformed-json, too-large.");

    /// <summary>Runs <c>look</c> with these arguments.</summary>
    private static Task<int> LookAsync(Action<CommandContext, ParseResult> look, params string[] args) =>
        WorkerCommandLine.RunAsync(["look", .. args], worker => worker.AddCommand(context => Look(parsed => look(context, parsed))));

    private static Command Look(Action<ParseResult> look)
    {
        Command command = new("look", "Looks");
        command.SetAction(parsed =>
        {
            look(parsed);
            return ExitCodes.Success;
        });
        return command;
    }
}
