using Benchmarks.CloudFront.Bulk;

namespace Benchmarks.Bytes;

/// <summary>A document into a bulk request.</summary>
internal sealed record DocumentByteCase : ByteCase
{
    public override string Name => "Document/Batch/120/1";

    public override int MessagesARun => DocumentWritingBenchmarks.Documents;

    public override int MessagesARound => 20 * DocumentWritingBenchmarks.Documents;

    public override Action Prepare()
    {
        DocumentWritingBenchmarks writing = new();
        return () => writing.BatchSegments();
    }
}
