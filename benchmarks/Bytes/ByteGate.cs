using System.Text.Json;

namespace Benchmarks.Bytes;

/// <summary>Holds the bytes a message of every case against the committed file. A rise fails; a fall asks for the file to be renewed.</summary>
internal static class ByteGate
{
    private static readonly JsonSerializerOptions Indented = new() { WriteIndented = true };

    public static int Run(FileInfo file, bool update)
    {
        if (!file.Exists && !update)
        {
            Console.Error.WriteLine($"error: there is no {file.FullName}; run from the repository's root, name it with --expected, or make it with --update.");
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

        return Report(ByteVerdict.Compare(expected, measured), measured.Count);
    }

    private static int Report(IReadOnlyList<ByteVerdict> verdicts, int cases)
    {
        foreach (ByteVerdict verdict in verdicts)
        {
            Console.Out.WriteLine(verdict);
        }

        int rises = verdicts.Count(verdict => verdict.IsFailure);
        Console.Out.WriteLine(rises == 0
            ? $"{cases} cases, none allocates more than expected."
            : $"{cases} cases, {rises} failed. If a rise is meant, renew the file with --update and say why in the commit.");
        return rises == 0 ? 0 : 1;
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
            Console.Error.WriteLine($"error: {file.FullName} is no JSON object of cases and bytes: {exception.Message}");
            return null;
        }
    }
}
