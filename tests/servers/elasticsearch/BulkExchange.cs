namespace ElasticsearchServer;

/// <summary>One bulk request and what became of it.</summary>
/// <param name="Number">Counted from 1.</param>
/// <param name="Fault">The fault that struck it.</param>
/// <param name="Status">HTTP status of the answer; 0 when there was none.</param>
/// <param name="Error">Type of the error that refused the request as a whole; null when none did.</param>
/// <param name="Ids">The ids in it, in their order; empty where it was not read.</param>
/// <param name="Bytes">Bytes of the body, decompressed.</param>
/// <param name="WireBytes">Bytes of the body as they came.</param>
/// <param name="IsGzip">Whether it came compressed.</param>
/// <param name="InFlight">Bulk requests that were being worked on when it came, itself included.</param>
/// <param name="AskedFirst">Whether the client waited for consent before it sent the body (Expect: 100-continue).</param>
internal sealed record BulkExchange(int Number, ServerFault Fault, int Status, string? Error, IReadOnlyList<string> Ids, long Bytes, long WireBytes, bool IsGzip, int InFlight, bool AskedFirst);
