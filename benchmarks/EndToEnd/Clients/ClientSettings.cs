namespace Benchmarks.EndToEnd.Clients;

/// <summary>What a client process is told.</summary>
/// <param name="Kind">Who.</param>
/// <param name="Endpoint">The server, for SQS and S3.</param>
/// <param name="Queue">The queue's name.</param>
/// <param name="InFlight">Messages in work at once.</param>
internal sealed record ClientSettings(ClientKind Kind, Uri Endpoint, string Queue, int InFlight)
{
    public const string Bucket = "bucket";
    public const int VisibilitySeconds = 60;
    public const int WaitSeconds = 20;

    // SQS hands out no more at once.
    private const int MaxBatch = 10;

    /// <summary>Receive loops: as few as can hold the messages in work.</summary>
    public int Loops => (InFlight + MaxBatch - 1) / MaxBatch;

    /// <summary>Messages a receive asks for, so that all loops together hold no more than allowed.</summary>
    public int Batch => InFlight / Loops;
}
