namespace Messaging.CloudFront.Elasticsearch.Requests;

/// <summary>Whether requests are signed for Amazon OpenSearch, and under which service's name.</summary>
internal enum AwsSigning
{
    /// <summary>Not signed.</summary>
    None = 0,

    /// <summary>A domain of Amazon OpenSearch Service.</summary>
    Es,

    /// <summary>A collection of Amazon OpenSearch Serverless.</summary>
    Aoss,
}
