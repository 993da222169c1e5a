using System.CommandLine;
using Worker.CommandLine;
using Worker.Configuration;
using Worker.Hosting;

namespace Harness;

/// <summary>The harness's command line.</summary>
internal static class HarnessCommand
{
    public static async Task<int> RunAsync(string[] args)
    {
        Option<string?> form = new("--form") { Description = "Pipeline form: Closure or Precompiled; default as configured", HelpName = "form" };
        Option<string> source = new("--source") { Description = "channel, http or sqs", DefaultValueFactory = _ => "channel", HelpName = "source" };
        source.AcceptOnlyFromAmong("channel", "http", "sqs");
        Option<string> sink = new("--sink") { Description = "memory, directory or s3", DefaultValueFactory = _ => "directory", HelpName = "sink" };
        sink.AcceptOnlyFromAmong("memory", "directory", "s3");
        Option<int?> count = CountOption.Create("--count", ["-n"], "Messages to publish and process", 1_000_000, defaultValue: 1_000);
        Option<bool> noWait = new("--no-wait") { Description = "Do not stop for a profiler" };
        Option<bool> json = new("--json") { Description = "End with one line of JSON" };
        RootCommand root = new("Publishes messages to the real worker in this process and processes them, with stops to attach a profiler.\nConfiguration keys go behind: --Sources:Sqs:Queue=name --Sinks:S3:Bucket=name")
        {
            form, source, sink, count, noWait, json,
        };
        root.TreatUnmatchedTokensAsErrors = false;
        ParseResult parsed = root.Parse(args);
        if (parsed.Errors.Count > 0)
        {
            Console.Error.WriteLine(string.Join(Environment.NewLine, parsed.Errors.Select(error => $"error: {error.Message}").Distinct(StringComparer.Ordinal)));
            return ExitCodes.Usage;
        }

        root.SetAction(async (result, cancellationToken) =>
        {
            if (!WorkerConfiguration.TrySplitKeys(result.UnmatchedTokens, out List<string> keys, out string? unknown))
            {
                throw new StartupException($"'{unknown}' is neither an option (see --help) nor a configuration key such as --Sinks:S3:Bucket=name.", ExitCodes.Usage);
            }

            HarnessOptions options = new(
                result.GetValue(form),
                result.GetValue(source)!,
                result.GetValue(sink)!,
                result.GetValue(count)!.Value,
                !result.GetValue(noWait),
                result.GetValue(json),
                keys);
            return await HarnessRun.RunAsync(options, cancellationToken);
        });

        try
        {
            return await parsed.InvokeAsync(new InvocationConfiguration { EnableDefaultExceptionHandler = false });
        }
        catch (StartupException exception)
        {
            Console.Error.WriteLine($"error: {exception.Message}");
            return exception.ExitCode;
        }
        catch (ConfigurationException exception)
        {
            Console.Error.WriteLine($"error: {exception.Message}");
            return ExitCodes.Configuration;
        }
    }
}
