using Benchmarks.CloudFront;
using Tests.Shared.CloudFront;

namespace Benchmarks.Bytes;

/// <summary>One CloudFront log from compressed bytes to columns, or on to bulk bodies: bytes per log, which must not depend on its rows.</summary>
internal sealed record LogByteCase(bool ToDocuments, int Rows) : ByteCase
{
    public override string Name => $"CloudFrontLog/{(ToDocuments ? "BulkBody" : "Columns")}/{Rows}/1";

    public override int MessagesARound => 10;

    public static new IEnumerable<LogByteCase> All() =>
        from toDocuments in (bool[])[false, true]
        from rows in (int[])[LogFiles.Rows, 10 * LogFiles.Rows]
        select new LogByteCase(toDocuments, rows);

    public override Action Prepare()
    {
        byte[] log = AccessLog.CreateCompressed(Rows);
        if (!ToDocuments)
        {
            WorkerColumns columns = new();
            return () => columns.Read(log);
        }

        WorkerDocuments documents = new(new DiscardingSink());

        // Input and output are in memory, so the task is always completed.
        return () => documents.ReadAsync(log).GetAwaiter().GetResult();
    }
}
