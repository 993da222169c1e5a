namespace Messaging.Costs;

/// <summary>The calls of one operation. Threads: any.</summary>
internal sealed class ApiCounter(ApiOperation operation)
{
    private long _sent;
    private long _billed;
    private double _usdPerMillion = double.NaN;

    public ApiOperation Operation { get; } = operation;

    public long Sent => Volatile.Read(ref _sent);

    public long Billed => Volatile.Read(ref _billed);

    /// <summary>NaN while no price is known.</summary>
    public double UsdPerMillion
    {
        get => Volatile.Read(ref _usdPerMillion);
        set => Volatile.Write(ref _usdPerMillion, value);
    }

    public void Add(long sent, long billed)
    {
        if (sent > 0)
        {
            Interlocked.Add(ref _sent, sent);
        }

        if (billed > 0)
        {
            Interlocked.Add(ref _billed, billed);
        }
    }
}
