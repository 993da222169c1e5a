namespace Benchmarks.EndToEnd.Clients;

/// <summary>The settings of a client process.</summary>
/// <param name="Kind">The client.</param>
/// <param name="Endpoint">The server, for SQS and S3.</param>
/// <param name="Queue">The queue's name.</param>
/// <param name="InFlight">Messages in flight; <see cref="Found"/> for as many as the worker finds, or <see cref="PlainInFlight"/> of a plain loop.</param>
/// <param name="Bundle">Messages that the worker stores in one object; 0 for an object per message.</param>
internal sealed record ClientSettings(ClientKind Kind, Uri Endpoint, string Queue, int InFlight, int Bundle = 0)
{
    /// <summary>No number is set.</summary>
    public const int Found = 0;

    public const int PlainInFlight = 64;
    public const string Bucket = "bucket";
    public const int VisibilitySeconds = 60;
    public const int WaitSeconds = 20;

    // SQS delivers at most 10 messages per receive.
    private const int MaxBatch = 10;

    /// <summary>Receive loops: as few as can hold the messages in flight.</summary>
    public int Loops => (OfLoops + MaxBatch - 1) / MaxBatch;

    /// <summary>Messages a receive asks for, so that all loops together hold no more than allowed.</summary>
    public int Batch => OfLoops / Loops;

    private int OfLoops => InFlight == Found ? PlainInFlight : InFlight;
}
