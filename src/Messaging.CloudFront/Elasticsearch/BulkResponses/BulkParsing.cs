namespace Messaging.CloudFront.Elasticsearch.BulkResponses;

/// <summary>How far the reading of a bulk response has come.</summary>
internal enum BulkParsing
{
    /// <summary>Everything so far is right, and the end has not come.</summary>
    NeedsMore = 0,

    /// <summary>The response has ended as it should.</summary>
    Complete,

    /// <summary>Not JSON, not a bulk response, cut off, or beyond a bound: nothing that it said may be relied on.</summary>
    Malformed,
}
