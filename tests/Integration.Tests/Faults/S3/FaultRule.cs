namespace Integration.Tests.Faults.S3;

/// <summary>Which requests a fault strikes.</summary>
internal sealed record FaultRule
{
    public required S3Fault Fault { get; init; }

    public S3Operation Operation { get; init; } = S3Operation.PutObject;

    /// <summary>The first request of the operation that is struck, counted from 1 since the server started.</summary>
    public int First { get; init; } = 1;

    /// <summary>The last request that is struck.</summary>
    public int Last { get; init; } = int.MaxValue;

    /// <summary>The share of the requests between the two.</summary>
    public double Probability { get; init; } = 1;

    /// <summary>Delay before the operation, also with <see cref="S3Fault.None"/>: a slow server.</summary>
    public TimeSpan Delay { get; init; }
}
