namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>Limits and deadlines of the SQS client; tests shorten them.</summary>
internal sealed record SqsWireOptions
{
    /// <summary>
    /// The maximum size of a response; a larger one is refused. Fits 10 messages of 1 MiB, written by the service with up to 3 bytes for 1
    /// (a two-byte character as \uXXXX; quotes only double), plus handles and attributes. A lower limit would refuse full batches of large
    /// JSON messages forever, and each refusal raises their receive counts.
    /// </summary>
    public int MaxResponseBytes { get; init; } = 32 * 1024 * 1024;

    /// <summary>The total time of a call, including retries with a new signature.</summary>
    public TimeSpan CallTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>The time that a receive call may take beyond its long poll.</summary>
    public TimeSpan ReceiveGrace { get; init; } = TimeSpan.FromSeconds(5);
}
