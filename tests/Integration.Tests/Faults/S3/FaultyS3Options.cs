namespace Integration.Tests.Faults.S3;

/// <summary>How a <see cref="FaultyS3"/> starts. Plain data, so that it can be sent to another process.</summary>
internal sealed record FaultyS3Options
{
    /// <summary>The port. 0 takes a free one; another value restarts a server on the port that clients know.</summary>
    public int Port { get; init; }

    /// <summary>Buckets that exist from the start.</summary>
    public IReadOnlyList<string> Buckets { get; init; } = ["archive"];

    public FaultScript Script { get; init; } = FaultScript.Empty;
}
