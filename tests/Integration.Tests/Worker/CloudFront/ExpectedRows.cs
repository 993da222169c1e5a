using System.Text;
using System.Text.Json;
using Tests.Shared.CloudFront;

namespace Integration.Tests.Worker.CloudFront;

/// <summary>A generated log and its expected documents, derived without the worker's code.</summary>
/// <param name="Key">The object's key.</param>
/// <param name="Compressed">The object's bytes.</param>
/// <param name="Documents">The JSON of each good row.</param>
internal sealed record ExpectedRows(string Key, byte[] Compressed, IReadOnlyList<string> Documents)
{
    private const int UserAgent = 10;

    /// <summary>Generates a log.</summary>
    /// <param name="key">The object's key.</param>
    /// <param name="rows">Its good rows.</param>
    /// <param name="seed">Seed of the random rows.</param>
    /// <param name="badRows">Number of one-column rows at the end.</param>
    public static ExpectedRows Create(string key, int rows, int seed, int badRows = 0)
    {
        string text = Encoding.ASCII.GetString(AccessLog.Create(rows, seed: seed));
        string[] documents =
        [
            .. text.Split('\n', StringSplitOptions.RemoveEmptyEntries).Where(line => line[0] != '#').Select(line => line.Split('\t'))
                .Select(
                    columns => JsonSerializer.Serialize(
                        new Dictionary<string, string> { ["@timestamp"] = $"{columns[0]}T{columns[1]}Z", ["date"] = columns[0], ["time"] = columns[1],
                            ["user_agent"] = columns[UserAgent] })),
        ];
        string bad = string.Concat(Enumerable.Range(0, badRows).Select(number => $"bad row {number} of {key}\n"));
        return new ExpectedRows(key, AccessLog.Compress(Encoding.ASCII.GetBytes(text + bad)), documents);
    }
}
