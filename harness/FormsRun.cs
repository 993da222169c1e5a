using System.Diagnostics;
using Harness.Collecting;
using Harness.Reports;
using Quayside.Messaging.Configuration;
using Quayside.Pipeline.Execution;

namespace Harness;

/// <summary>
/// Runs each form in its own processes, because code, pools and garbage of one form would affect the next. The rounds are interleaved
/// (A B C D, A B C D), so that a machine that slows down affects every form.
/// </summary>
internal static class FormsRun
{
    public static async Task<int> RunAsync(HarnessOptions options, CancellationToken cancellationToken)
    {
        string folder = Directory.CreateTempSubdirectory("harness-forms-").FullName;
        try
        {
            PipelineForm[] forms = [.. PipelineForm.All.Where(form => form.IsSupported)];
            Dictionary<PipelineForm, List<HarnessReport>> runs = forms.ToDictionary(form => form, _ => new List<HarnessReport>());
            for (int round = 1; round <= options.Rounds; round++)
            {
                foreach (PipelineForm form in forms)
                {
                    Console.Error.WriteLine($"Round {round} of {options.Rounds}: {form}");
                    string figures = Path.Combine(folder, $"{form}-{round}.json");
                    int exitCode = await RunAsync(options, form.Name, figures, cancellationToken);
                    if (exitCode != ExitCodes.Success)
                    {
                        Console.Error.WriteLine($"error: the run of the form {form} ended with exit code {exitCode}.");
                        return exitCode;
                    }

                    runs[form].Add(ReportFiles.Read(figures).Reports[0]);
                }
            }

            HarnessReport[] middle = [.. forms.Select(form => runs[form].OrderBy(report => report.MessagesPerSecond).ElementAt(options.Rounds / 2))];
            Console.Out.WriteLine(options.Json ? ReportFiles.Serialize(middle, isAllForms: true) : ToText(middle));
            ReportFiles.Write(options, middle, isAllForms: true);
            return ExitCodes.Success;
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static async Task<int> RunAsync(HarnessOptions options, string form, string figures, CancellationToken cancellationToken)
    {
        List<string> arguments =
        [
            "--form", form, "--source", options.Source, "--sink", options.Sink, "--count", $"{options.Count}", "--batch", $"{options.Batch}",
            "--concurrency", $"{options.Concurrency}", "--json", figures, "--no-wait", .. options.Explain ? ["--explain"] : Array.Empty<string>(),
            .. options.Keys,
        ];
        if (options.Concurrency is null)
        {
            arguments.RemoveRange(arguments.IndexOf("--concurrency"), 2);
        }

        ProcessStartInfo start = MeasuredProcess.Again(arguments);
        start.RedirectStandardOutput = true;
        using Process child = Process.Start(start)!;
        try
        {
            await child.StandardOutput.ReadToEndAsync(cancellationToken);
            await child.WaitForExitAsync(cancellationToken);
            return child.ExitCode;
        }
        finally
        {
            if (!child.HasExited)
            {
                child.Kill(entireProcessTree: true);
            }
        }
    }

    private static string ToText(IReadOnlyList<HarnessReport> reports) => string.Join(
        Environment.NewLine,
        Metric.All
            .Select(metric => $"{metric.Name,-28}{string.Concat(reports.Select(report => $"{metric.Show(report),16}"))}")
            .Prepend($"{"",-28}{string.Concat(reports.Select(report => $"{report.Form,16}"))}"));
}
