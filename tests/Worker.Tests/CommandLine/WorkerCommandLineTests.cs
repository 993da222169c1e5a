using System.CommandLine;
using Messaging.CommandLine;
using Messaging.Hosting;

namespace Worker.Tests.CommandLine;

/// <summary>Commands and options that features add. Other tests run the commands as whole processes.</summary>
public sealed class WorkerCommandLineTests
{
    [Fact]
    public async Task Command_AddedByAFeature_RunsWithTheConfigurationOfItsArguments()
    {
        string? seen = null;

        int exitCode = await WorkerCommandLine.RunAsync(["look", "--Intake:Concurrency=9"], worker => worker.AddCommand(context => Look(parsed => seen = context.ReadConfiguration(parsed)["Intake:Concurrency"])));

        exitCode.ShouldBe(ExitCodes.Success);
        seen.ShouldBe("9");
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
        int exitCode = await WorkerCommandLine.RunAsync(["look"], worker => worker.AddCommand(_ => Look(_ => throw new InvalidOperationException("a test's defect"))));

        exitCode.ShouldBe(ExitCodes.Software);
    }

    [Fact]
    public async Task Configure_IsCalledOnceForADaemonToo()
    {
        int calls = 0;

        // The configuration is wrong, so the host is built and nothing starts.
        int exitCode = await WorkerCommandLine.RunAsync(["--Routes:a:Source=Pigeon"], _ => calls++);

        exitCode.ShouldBe(ExitCodes.Configuration);
        calls.ShouldBe(1);
    }

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
