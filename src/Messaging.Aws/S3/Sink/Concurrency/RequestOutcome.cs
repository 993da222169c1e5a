namespace Messaging.Aws.S3.Sink.Concurrency;

/// <summary>What the end of a request says about the load of the store.</summary>
internal enum RequestOutcome
{
    /// <summary>Nothing: refused, not found, cancelled, cut short by the caller's own deadline.</summary>
    Neutral = 0,

    /// <summary>It worked, and its latency can be compared.</summary>
    Succeeded,

    /// <summary>The object is there already: the store keeps up, but what it took is no PUT's latency.</summary>
    Existed,

    /// <summary>Too much: throttled, or no answer in the time an attempt has.</summary>
    Overloaded,
}
