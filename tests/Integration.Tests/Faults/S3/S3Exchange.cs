namespace Integration.Tests.Faults.S3;

/// <summary>One request and its outcome. Recorded when the server has decided, before the client can see an answer.</summary>
/// <param name="Sequence">Position in the history.</param>
/// <param name="Number">Sequence number of the request within its operation, from 1, in the order the requests arrived whole.</param>
/// <param name="Status">The answer's status, also when the client never received it; 0 for a request that is never answered.</param>
/// <param name="ErrorCode">S3's code, empty for a success.</param>
/// <param name="Committed">Whether a PUT stored, or a DELETE removed, the object.</param>
/// <param name="Length">Bytes of the decoded payload, as they arrived.</param>
/// <param name="Sha256">Of the decoded payload, in hexadecimal; empty without one.</param>
/// <param name="Headers">The request's, names in lower case, without the authorization.</param>
internal sealed record S3Exchange(
    int Sequence,
    DateTimeOffset At,
    S3Operation Operation,
    int Number,
    string Bucket,
    string Key,
    S3Fault Fault,
    S3Outcome Outcome,
    int Status,
    string ErrorCode,
    bool Committed,
    int Length,
    string Sha256,
    IReadOnlyDictionary<string, string> Headers)
{
    public override string ToString() =>
        $"#{Sequence} {Operation} {Number} {Bucket}/{Key}: {Outcome} {Status} {ErrorCode}{(Committed ? " committed" : "")}"
            + $"{(Fault == S3Fault.None ? "" : $" ({Fault})")}";
}
