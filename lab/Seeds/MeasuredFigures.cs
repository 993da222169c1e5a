using System.Globalization;
using System.Text.Json;
using Benchmarks.Compare;

namespace Lab.Seeds;

/// <summary>
/// The figures measured here, by the short names of rows: <c>Suite.Method(Size: 10)</c> of BenchmarkDotNet's reports,
/// <c>udp.Receiver</c> of the command <c>udp</c>, which writes <c>udp.json</c> (<c>udp64</c> likewise), and
/// <c>harness.Form.Kind</c> of the harness, whose <c>--explain --json</c> line is kept as <c>harness-Form.json</c>.
/// </summary>
internal sealed class MeasuredFigures
{
    private static readonly string[] ReceivingReports = ["udp.json", "udp64.json"];

    private readonly Dictionary<string, SeedFigure> _figures = new(StringComparer.Ordinal);

    private MeasuredFigures(string origin) => Origin = origin;

    /// <summary>Machine and days.</summary>
    public string Origin { get; }

    /// <param name="folders">Folders of results from one machine; when two hold the same row, the later one counts.</param>
    /// <exception cref="ResultsException">There are no reports, or they are from different machines.</exception>
    public static MeasuredFigures Read(IReadOnlyList<DirectoryInfo> folders)
    {
        ResultsFolder[] read = LabResults.Read(folders);
        MeasuredFigures figures = new(
            $"{read[0].Machine}, {string.Join(" and ", read.Select(folder => folder.Date).Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal))}");
        foreach (BenchmarkRow row in read.SelectMany(folder => folder.Rows.Values))
        {
            figures._figures[row.ShortName] = new SeedFigure(row.Nanoseconds, Bytes: row.Bytes, Rate: row.Collections);
        }

        foreach (FileInfo file in folders.SelectMany(folder => ReceivingReports.SelectMany(name => folder.GetFiles(name, SearchOption.AllDirectories))))
        {
            figures.AddReceivers(file);
        }

        foreach (FileInfo file in folders.SelectMany(folder => folder.GetFiles("harness-*.json", SearchOption.AllDirectories)))
        {
            foreach ((string name, SeedFigure figure) in HarnessProfile.Read(file))
            {
                figures._figures[name] = figure;
            }
        }

        return figures;
    }

    /// <returns>Null when the row is not among the results.</returns>
    public SeedFigure? Find(string? name) => name is null ? null : _figures.GetValueOrDefault(name);

    private void AddReceivers(FileInfo file)
    {
        try
        {
            using FileStream stream = file.OpenRead();
            using JsonDocument report = JsonDocument.Parse(stream);
            JsonElement of = report.RootElement.GetProperty("Case");
            foreach (JsonElement row in report.RootElement.GetProperty("Rows").EnumerateArray())
            {
                _figures[$"{of.GetProperty("File").GetString()}.{row.GetProperty("Receiver").GetString()}"] =
                    new SeedFigure(
                        row.GetProperty("PerSecond").GetDouble(),
                        $"{of.GetProperty("Unit").GetString()}s/s",
                        row.GetProperty("Bytes").GetDouble(),
                        row.TryGetProperty("Loss", out JsonElement loss) ? string.Create(CultureInfo.InvariantCulture, $"{loss.GetDouble():P2} lost") : null);
            }
        }
        catch (Exception exception) when (exception is JsonException or KeyNotFoundException or InvalidOperationException)
        {
            throw new ResultsException($"{file.FullName} is not a report of receivers: {exception.Message}");
        }
    }
}
