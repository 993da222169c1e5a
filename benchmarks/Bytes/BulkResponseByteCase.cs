using Benchmarks.CloudFront.Bulk;

namespace Benchmarks.Bytes;

/// <summary>Reading one bulk response: nothing for a success, the failed ids and their list for a failure.</summary>
internal sealed record BulkResponseByteCase(bool Failure) : ByteCase
{
    private readonly byte[] _response = BulkInput.Create(Failure);

    public override string Name => $"BulkResponse/{(Failure ? "Failure" : "Success")}/{_response.Length}/1";

    public static new IEnumerable<BulkResponseByteCase> All() => [new(Failure: false), new(Failure: true)];

    public override Action Prepare()
    {
        WorkerParser parser = new(count: true);

        // Uses the result: otherwise the runtime may allocate it on the stack in one run and not in another.
        return () => GC.KeepAlive(parser.Read(_response));
    }
}
