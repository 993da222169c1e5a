using System.Globalization;
using System.Text.Json;

namespace Lab.Pages;

/// <summary>A row of a results file: the texts and whole numbers by which a page names it, and its figures.</summary>
internal sealed record ResultRow(IReadOnlyList<string> Names, IReadOnlyDictionary<string, double[]> Figures)
{
    /// <summary>The rows of BenchmarkDotNet's report: a method and its parameters' values, with Median and Mean (ns) and Bytes.</summary>
    public static ResultRow OfReport(JsonElement benchmark)
    {
        JsonElement statistics = benchmark.GetProperty("Statistics");
        Dictionary<string, double[]> figures = new(StringComparer.Ordinal)
        {
            ["Median"] = [statistics.GetProperty("Median").GetDouble()],
            ["Mean"] = [statistics.GetProperty("Mean").GetDouble()],
        };
        if (benchmark.TryGetProperty("Memory", out JsonElement memory)
            && memory.TryGetProperty("BytesAllocatedPerOperation", out JsonElement bytes)
            && bytes.ValueKind == JsonValueKind.Number)
        {
            figures["Bytes"] = [bytes.GetDouble()];
        }

        IEnumerable<string> parameters = benchmark.GetProperty("Parameters").GetString()!
            .Split('&', StringSplitOptions.RemoveEmptyEntries)
            .Select(parameter => parameter[(parameter.IndexOf('=', StringComparison.Ordinal) + 1)..]);
        return new ResultRow([benchmark.GetProperty("Method").GetString()!, .. parameters], figures);
    }

    /// <summary>
    /// The rows of the other commands: the array that they are in, every text, and <c>Name=1</c> of every whole number are names; every number and array of
    /// numbers is a figure.
    /// </summary>
    public static ResultRow Of(string array, JsonElement row)
    {
        List<string> names = [array];
        Dictionary<string, double[]> figures = new(StringComparer.Ordinal);
        foreach (JsonProperty property in row.EnumerateObject())
        {
            switch (property.Value.ValueKind)
            {
                case JsonValueKind.String:
                    names.Add(property.Value.GetString()!);
                    break;
                case JsonValueKind.Number:
                    figures[property.Name] = [property.Value.GetDouble()];
                    if (property.Value.TryGetInt32(out int whole))
                    {
                        names.Add(string.Create(CultureInfo.InvariantCulture, $"{property.Name}={whole}"));
                    }

                    break;
                case JsonValueKind.Array when property.Value.EnumerateArray().All(one => one.ValueKind == JsonValueKind.Number):
                    figures[property.Name] = [.. property.Value.EnumerateArray().Select(one => one.GetDouble())];
                    break;
            }
        }

        return new ResultRow(names, figures);
    }
}
