using System.Text.Json;
using Benchmarks.Compare;

namespace Benchmarks.Seeds;

/// <summary>
/// What was measured here, by the short names of rows: BenchmarkDotNet's reports, and <c>*-figures.json</c> of commands that measure
/// otherwise (<c>{"rows": [{"name": "Udp.Pooled", "value": 250000, "unit": "datagrams/s", "bytes": 0}]}</c>).
/// </summary>
internal sealed class MeasuredFigures
{
    private const string OtherFigures = "*-figures.json";
    private static readonly JsonSerializerOptions Options = new(JsonSerializerDefaults.Web);

    private readonly Dictionary<string, SeedFigure> _figures = new(StringComparer.Ordinal);

    private MeasuredFigures(string origin) => Origin = origin;

    /// <summary>Machine and day.</summary>
    public string Origin { get; }

    /// <param name="folders">Folders of results, of one machine; where two hold the same row the later one counts.</param>
    /// <exception cref="ResultsException">No reports, or of different machines.</exception>
    public static MeasuredFigures Read(IReadOnlyList<DirectoryInfo> folders)
    {
        ResultsFolder[] read = [.. folders.Select(ResultsFolder.Read)];
        if (read.DistinctBy(folder => folder.Machine, StringComparer.Ordinal).Count() > 1)
        {
            throw new ResultsException($"These are different machines; times of one say nothing about the other:{string.Concat(read.Select(folder => $"\n  {folder.Path}: {folder.Machine}"))}");
        }

        MeasuredFigures figures = new($"{read[0].Machine}, {read.Max(folder => folder.Date)}");
        foreach (BenchmarkRow row in read.SelectMany(folder => folder.Rows.Values))
        {
            figures._figures[row.ShortName] = new SeedFigure(row.Nanoseconds, Bytes: row.Bytes);
        }

        foreach (FileInfo file in folders.SelectMany(folder => folder.GetFiles(OtherFigures, SearchOption.AllDirectories)))
        {
            figures.Add(file);
        }

        return figures;
    }

    /// <returns>Null when the row is not among the results.</returns>
    public SeedFigure? Find(string? name) => name is null ? null : _figures.GetValueOrDefault(name);

    private void Add(FileInfo file)
    {
        try
        {
            using FileStream stream = file.OpenRead();
            foreach (OtherFigure one in JsonSerializer.Deserialize<OtherFigureFile>(stream, Options)?.Rows ?? [])
            {
                _figures[one.Name] = new SeedFigure(one.Value, one.Unit, one.Bytes);
            }
        }
        catch (JsonException exception)
        {
            throw new ResultsException($"{file.FullName} holds no figures: {exception.Message}");
        }
    }
}
