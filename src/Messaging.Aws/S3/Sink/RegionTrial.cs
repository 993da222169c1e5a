namespace Quayside.Messaging.Aws.S3.Sink;

/// <summary>
/// The client that repeats a request of which the store said that the bucket is in another region: a client of that region. When it is refused too, it is
/// not asked again for a minute. Threads: any number concurrently.
/// </summary>
/// <param name="createIn">Makes a client of a region, at the first answer that names one; its null where the region is not followed.</param>
/// <param name="time">The clock.</param>
internal sealed class RegionTrial(Func<string, IS3Requests?> createIn, TimeProvider time) : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMinutes(1);

    private readonly Lock _lock = new();
    private IS3Requests? _elsewhere;
    private long _refusedAt;
    private bool _isRefused;

    /// <summary>The region of the client; null before the first answer that names one.</summary>
    public string? Region { get; private set; }

    /// <summary>The client to repeat the request with; null when that would not help.</summary>
    /// <param name="fault">The first client's.</param>
    public IS3Requests? For(in S3Fault fault)
    {
        if (!fault.IsWrongRegion || fault.Region is not { } region
            || (Volatile.Read(ref _isRefused) && time.GetElapsedTime(Volatile.Read(ref _refusedAt)) < Pause))
        {
            return null;
        }

        lock (_lock)
        {
            if (_elsewhere is null)
            {
                _elsewhere = createIn(region);
                Region = region;
            }

            return region == Region ? _elsewhere : null;
        }
    }

    /// <summary>The other client was refused too.</summary>
    public void Refused()
    {
        Volatile.Write(ref _refusedAt, time.GetTimestamp());
        Volatile.Write(ref _isRefused, true);
    }

    public void Dispose() => _elsewhere?.Dispose();
}
