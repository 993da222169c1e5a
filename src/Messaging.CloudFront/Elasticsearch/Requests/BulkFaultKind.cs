namespace Messaging.CloudFront.Elasticsearch.Requests;

/// <summary>What the end of one request means for the documents in it.</summary>
internal enum BulkFaultKind
{
    /// <summary>The answer says of every document what became of it.</summary>
    None = 0,

    /// <summary>May work later: throttled, unreachable, timed out, cut off, an answer that makes no sense.</summary>
    Transient,

    /// <summary>413: too many bytes at once.</summary>
    TooLarge,

    /// <summary>Elasticsearch refuses the worker, whatever the documents.</summary>
    Refused,
}
