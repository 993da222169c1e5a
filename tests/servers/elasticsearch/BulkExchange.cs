namespace ElasticsearchServer;

/// <summary>One bulk request and its outcome.</summary>
/// <param name="Number">Counted from 1.</param>
/// <param name="Fault">The fault that struck it.</param>
/// <param name="Status">HTTP status of the answer; 0 without an answer.</param>
/// <param name="Error">Type of the error that refused the whole request; null for none.</param>
/// <param name="Ids">The ids in the request, in order; empty when it was not read.</param>
/// <param name="Bytes">Bytes of the body, decompressed.</param>
/// <param name="WireBytes">Bytes of the body as received.</param>
/// <param name="IsGzip">Whether the body was compressed.</param>
/// <param name="InFlight">Bulk requests in flight when it arrived, including itself.</param>
/// <param name="AskedFirst">Whether the client waited for 100 Continue before it sent the body (Expect: 100-continue).</param>
internal sealed record BulkExchange(
    int Number, ServerFault Fault, int Status, string? Error, IReadOnlyList<string> Ids, long Bytes, long WireBytes, bool IsGzip, int InFlight,
    bool AskedFirst);
