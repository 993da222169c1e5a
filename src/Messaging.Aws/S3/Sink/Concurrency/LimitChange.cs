namespace Messaging.Aws.S3.Sink.Concurrency;

/// <summary>What the end of a request did to the limit.</summary>
internal enum LimitChange
{
    None = 0,

    /// <summary>The limit was used and nothing spoke against more.</summary>
    Raised,

    /// <summary>The store said that it is too much, or did not answer in time.</summary>
    LoweredByOverload,

    /// <summary>Answers took clearly longer than they do with fewer requests.</summary>
    LoweredByLatency,
}
