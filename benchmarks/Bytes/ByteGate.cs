using System.Text.Json;

namespace Benchmarks.Bytes;

/// <summary>Compares the bytes per message of every case with the committed file. A rise fails; after a fall the file must be written again.</summary>
internal static class ByteGate
{
    private const string CaseColumn = "scenario/variant/size/in flight";

    private static readonly JsonSerializerOptions Indented = new() { WriteIndented = true };

    public static int Run(FileInfo file, bool update)
    {
        if (!file.Exists && !update)
        {
            Console.Error.WriteLine(
                $"error: there is no {file.FullName}; run from the repository's root, name it with --expected, or create it with --update.");
            return 2;
        }

        SortedDictionary<string, long>? expected = update ? [] : Read(file);
        if (expected is null)
        {
            return 2;
        }

        SortedDictionary<string, long> measured = new(StringComparer.Ordinal);
        foreach (ByteCase one in ByteCase.All())
        {
            measured[one.Name] = ByteMeter.Measure(one);
        }

        measured[EndToEndBytes.Name] = EndToEndBytes.MeasureAsync(CancellationToken.None).GetAwaiter().GetResult();

        if (update)
        {
            File.WriteAllText(file.FullName, JsonSerializer.Serialize(measured, Indented) + "\n");
            Console.Out.WriteLine($"{measured.Count} cases written to {file.FullName}.");
            return 0;
        }

        return Report(ByteVerdict.Compare(expected, measured), Console.Out);
    }

    /// <summary>Writes a row per case and the verdict.</summary>
    /// <returns>The exit code: 0, or 1 when a case failed.</returns>
    public static int Report(IReadOnlyList<ByteVerdict> verdicts, TextWriter output)
    {
        int width = verdicts.Select(verdict => verdict.Case.Length).Append(CaseColumn.Length).Max();
        output.WriteLine($"{CaseColumn.PadRight(width)}  {"bytes",9}  {"expected",9}");
        foreach (ByteVerdict verdict in verdicts)
        {
            output.WriteLine(verdict.ToRow(width));
        }

        int failed = verdicts.Count(verdict => verdict.IsFailure);
        output.WriteLine(failed == 0
            ? $"{verdicts.Count} cases, none allocates more per message than expected."
            : $"{verdicts.Count} cases, {failed} failed. If a rise is intended, update the file with --update and give the reason in the commit.");
        return failed == 0 ? 0 : 1;
    }

    private static SortedDictionary<string, long>? Read(FileInfo file)
    {
        try
        {
            using FileStream stream = file.OpenRead();
            return JsonSerializer.Deserialize<SortedDictionary<string, long>>(stream) ?? [];
        }
        catch (JsonException exception)
        {
            Console.Error.WriteLine($"error: {file.FullName} is not a JSON object of cases and bytes: {exception.Message}");
            return null;
        }
    }
}
