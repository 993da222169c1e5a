using Proof.Simulation;

namespace Proof.Models;

/// <summary>
/// The bucket of logs. Each log is written before its event is sent; some are damaged, some have no row that becomes a document, and some do not exist.
/// </summary>
internal sealed class LogModel(World world)
{
    public const string Bucket = "logs";

    /// <summary>The unreadable rows, and the refused documents, that the worker dead-letters on their own.</summary>
    public const int MaxBad = 3;

    private const string Refused = "refused";

    private readonly Dictionary<string, Log> _logs = new(StringComparer.Ordinal);

    public IEnumerable<Log> Logs => _logs.Values;

    /// <summary>Null for a log that does not exist.</summary>
    public Log? Find(string key) => _logs.GetValueOrDefault(key);

    /// <summary>True for a row that becomes a document of the index.</summary>
    public static bool IsGood(Row row) => row.Document is { } document && !IsRefused(document);

    /// <summary>True for a document that Elasticsearch never accepts.</summary>
    public static bool IsRefused(string document) => document.Contains(Refused, StringComparison.Ordinal);

    /// <summary>Writes a log.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="isDamaged">True for one that can never be indexed.</param>
    public void Write(string key, bool isDamaged)
    {
        Random random = world.Random;
        int damage = random.Next(6);
        if (isDamaged && damage == 0)
        {
            return;
        }

        Row[] rows = [.. Enumerable.Range(0, random.Next(60)).Select(row => Draw($"{key}-{row}"))];
        int[] bad = [.. Enumerable.Range(0, 2 * MaxBad).Select(_ => random.Next(60)).Distinct()];
        int refused = random.Next(MaxBad + 1);
        int unreadable = random.Next(MaxBad + 1);
        for (int i = 0; i < refused + unreadable && i < bad.Length; i++)
        {
            if (bad[i] < rows.Length)
            {
                rows[bad[i]] = i < refused ? Document($"{key}-{bad[i]}", Refused) : new Row($"{key}-{bad[i]}", null);
            }
        }

        if (isDamaged && damage < 3)
        {
            string name = $"{key}-more";
            rows = [.. rows, .. Enumerable.Range(0, MaxBad + 1).Select(row => damage == 1 ? Document($"{name}{row}", Refused) : new Row($"{name}{row}", null))];
        }

        if (isDamaged && damage == 5)
        {
            rows = [
                .. Enumerable
                    .Range(0, 1 + random.Next(MaxBad))
                    .Select(row => random.Next(2) == 0 ? Document($"{key}-none{row}", Refused) : new Row($"{key}-none{row}", null))];
        }

        byte[] whole = Gzip.Compress($"#Version: 1.0\n#Fields: n text\n{string.Concat(rows.Select(row => $"{row.Text}\n"))}");
        byte[] content = !isDamaged || damage is < 3 or 5 ? whole : damage == 3 ? whole[..random.Next(whole.Length)] : [.. "not gzip: "u8, .. whole];
        _logs.Add(key, new Log(content, rows, isDamaged || (rows.Length > 0 && !rows.Any(IsGood))));

        Row Draw(string name) => Document(name, new string('y', 1 + random.Next(40)));
    }

    private static Row Document(string name, string text) => new($"{name}\t{text}", $"{{\"n\":\"{name}\",\"text\":\"{text}\"}}");

    /// <summary>A log.</summary>
    /// <param name="Content">The object's bytes.</param>
    /// <param name="Rows">Its rows.</param>
    /// <param name="IsDamaged">True when it can never be indexed.</param>
    internal sealed record Log(byte[] Content, IReadOnlyList<Row> Rows, bool IsDamaged);

    /// <summary>A row.</summary>
    /// <param name="Text">The row.</param>
    /// <param name="Document">The JSON that it becomes; null for a row with a missing column.</param>
    internal sealed record Row(string Text, string? Document);
}
