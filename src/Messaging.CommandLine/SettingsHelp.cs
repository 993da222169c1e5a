using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace Quayside.Messaging.CommandLine;

/// <summary><c>--help</c>: the library's text, and how settings are given, which every command accepts.</summary>
/// <param name="help">The library's action.</param>
/// <param name="sections">The names of the sections.</param>
internal sealed class SettingsHelp(HelpAction help, IReadOnlyList<string> sections) : SynchronousCommandLineAction
{
    // The library's word for the options in a usage line.
    private const string Options = "[options]";

    // Help comes first: it is where the required arguments are shown.
    public override bool ClearsParseErrors => true;

    public override int Invoke(ParseResult parseResult)
    {
        Command command = parseResult.CommandResult.Command;
        TextWriter output = parseResult.InvocationConfiguration.Output;
        using StringWriter text = new();
        parseResult.InvocationConfiguration.Output = text;

        // Otherwise the library speaks of additional arguments, passed to an application that is being run.
        command.TreatUnmatchedTokensAsErrors = true;
        int code = help.Invoke(parseResult);
        parseResult.InvocationConfiguration.Output = output;
        string usage = text.ToString();
        int end = usage.IndexOf(Options, StringComparison.Ordinal) + Options.Length;
        output.Write(end < Options.Length ? usage : $"{usage[..end]} [--Section:Key=value ...]{usage[end..]}");
        Write(output, parseResult.RootCommandResult.Command.Name, isRoot: command == parseResult.RootCommandResult.Command);
        return code;
    }

    private void Write(TextWriter output, string program, bool isRoot)
    {
        output.WriteLine($"""
            Settings:
              Every command reads the same settings. Later places override earlier ones:
                appsettings.json                 beside the program
                --config orders.json             a JSON file: {"{ \"Sinks\": { \"Directory\": { \"Path\": \"/data\" } } }"}
                Sinks__Directory__Path=/data     the environment, with __ for each colon
                --Sinks:Directory:Path=/data     the command line
              For one route: --Routes:orders:Sinks:Directory:Path=/data
              `{program} validate --reference` lists every setting with its default, unit and range, as docs/reference/configuration.md of
              the repository does; `{program} validate` shows those in effect, and what is wrong with them.
            """);
        if (isRoot)
        {
            output.WriteLine($"  Sections: {string.Join(", ", sections)}.");
        }

        output.WriteLine();
    }
}
