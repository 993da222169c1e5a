using System.CommandLine;
using Benchmarks;
using Benchmarks.Sockets.Udp;
using Lab.Alternatives;
using Lab.Charts;
using Lab.RabbitMq;
using Lab.Seeds;
using Lab.Techniques.Pages;

namespace Lab;

/// <summary>
/// The lab's command line: its suites, the comparisons that are no part of the product's gates, and the pages and charts made of their results.
/// </summary>
internal static class LabCommand
{
    /// <summary>For BenchmarkDotNet, which builds a project around the suites.</summary>
    public const string Project = "lab/Lab.csproj";

    public static Task<int> RunAsync(string[] args)
    {
        if (args is [RunnerProcess.Verb, string runner, string work])
        {
            return RunnerProcess.RunAsync(runner, work);
        }

        if (args is [ReceiverProcess.Verb, string receiver, string broker, string queue])
        {
            return ReceiverProcess.RunAsync(receiver, broker, queue);
        }

        return CommandRunner.InvokeAsync(Root(), args);
    }

    /// <summary>The commands, without the verb of child processes.</summary>
    public static RootCommand Root()
    {
        Command run = new("run", "Runs the BenchmarkDotNet suites of the published tables; its own options follow, such as --filter '*JsonLevels*'")
        { TreatUnmatchedTokensAsErrors = false };
        run.SetAction(result => SuiteRunner.Run(LabSuites.Tables, result.UnmatchedTokens, SuiteConfig.Full(), "run", Project));

        Argument<DirectoryInfo[]> results = new("results") { Description = "Results folders of one run", Arity = ArgumentArity.OneOrMore };
        Command chart = new("chart", "Draws the charts of results as SVG files in the first of their folders") { results };
        chart.SetAction(result => ChartCommand.Run(result.GetValue(results)!));

        return new RootCommand(
            "Measures published techniques and tables again, and other libraries beside the worker") { run, TechniqueCommand.Create(), UdpCommand.CreateSmall(),
                AlternativesCommand.Create(), RabbitMqCommand.Create(), PagesCommand.Create(), CompareAllCommand.Create(), chart, SeedsCommand.Create() };
    }
}
