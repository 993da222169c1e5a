namespace Benchmarks.CloudFront;

/// <summary>Throws unless all variants read the same, before any is measured.</summary>
internal static class LogCheck
{
    /// <exception cref="InvalidOperationException">Two of them differ.</exception>
    public static async Task RequireAsync(byte[] compressed, int rows)
    {
        List<LogRecord> original = OriginalLog.Read(compressed);
        Require(original.Count == rows, $"the original read {original.Count} of {rows} rows");

        using LogRecords records = new();
        int count = await OptimisedLog.ReadAsync(compressed, records);
        Require(records.First(count).SequenceEqual(original.ToArray()), "the optimised shape reads other columns");

        List<LogRecord> worker = [];
        new WorkerColumns(worker).Read(compressed);
        Require(worker.SequenceEqual(original), "the worker reads other columns");

        DiscardingSink sink = new() { Kept = new() };
        long documents = await new WorkerDocuments(sink).ReadAsync(compressed);
        string expected =
            string.Join('\n', original.Select(record => $"{{\"date\":\"{record.Date}\",\"time\":\"{record.Time}\",\"user_agent\":\"{record.UserAgent}\"}}"));
        string actual = string.Join('\n', sink.Kept.ToString().Split('\n').Where((_, line) => line % 2 == 1));
        Require(documents == rows && actual == expected, "the worker writes other documents");
    }

    private static void Require(bool isSo, string problem)
    {
        if (!isSo)
        {
            throw new InvalidOperationException($"The variants do not agree: {problem}.");
        }
    }
}
