using System.Text.Json;
using Quayside.Messaging.Configuration;

namespace Harness.Reports;

/// <summary>Writes and reads the pages and the files of figures; a failure ends the harness with exit code 64.</summary>
internal static class ReportFiles
{
    /// <summary>Checks before a run that its files can be written.</summary>
    /// <exception cref="StartupException">A file cannot be written.</exception>
    public static void Check(string option, string? path)
    {
        if (path is null)
        {
            return;
        }

        try
        {
            bool isNew = !File.Exists(path);
            new FileStream(path, FileMode.OpenOrCreate, FileAccess.Write).Dispose();
            if (isNew)
            {
                File.Delete(path);
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new StartupException($"{option} {path}: cannot be written: {exception.Message}", ExitCodes.Usage, exception);
        }
    }

    /// <summary>Writes the files that the options request.</summary>
    public static void Write(HarnessOptions options, IReadOnlyList<HarnessReport> reports, bool isAllForms)
    {
        if (options.Figures is not null)
        {
            File.WriteAllText(options.Figures, Serialize(reports, isAllForms) + "\n");
        }

        if (options.Report is not null)
        {
            File.WriteAllText(options.Report, RunPage.Create(reports, options.Rounds));
            Console.Error.WriteLine($"The report is in {options.Report}.");
        }
    }

    public static string Serialize(IReadOnlyList<HarnessReport> reports, bool isAllForms) => isAllForms
        ? JsonSerializer.Serialize(new FormReports(reports), HarnessJson.Default.FormReports)
        : JsonSerializer.Serialize(reports[0], HarnessJson.Default.HarnessReport);

    /// <exception cref="StartupException">The file does not exist, or it is not a file of figures.</exception>
    public static (IReadOnlyList<HarnessReport> Reports, bool IsAllForms) Read(string path)
    {
        try
        {
            string text = File.ReadAllText(path);
            using JsonDocument document = JsonDocument.Parse(text);
            bool isAllForms = document.RootElement.ValueKind == JsonValueKind.Object && document.RootElement.TryGetProperty("forms", out _);
            IReadOnlyList<HarnessReport> reports = isAllForms
                ? JsonSerializer.Deserialize(text, HarnessJson.Default.FormReports)!.Forms
                : [JsonSerializer.Deserialize(text, HarnessJson.Default.HarnessReport) ?? throw new JsonException("it is null.")];
            return reports.Count > 0 && reports.All(report => report.Record is not null)
                ? (reports, isAllForms)
                : throw new JsonException("it has no record of a run; only --json FILE writes one.");
        }
        catch (JsonException exception)
        {
            throw new StartupException($"{path} was not written by 'harness --json FILE': {exception.Message}", ExitCodes.Usage, exception);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new StartupException($"{path} cannot be read: {exception.Message}", ExitCodes.Usage, exception);
        }
    }
}
