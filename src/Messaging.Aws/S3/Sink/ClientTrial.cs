namespace Quayside.Messaging.Aws.S3.Sink;

/// <summary>
/// The client that repeats a request which the store refused for a reason that another client does not have: AWSSDK.S3 where the reason may lie in the
/// request's form, a client of the bucket's region where the answer names one. When it is refused too, which is the rule with wrong keys, it is not
/// asked again for a minute. Threads: any number concurrently.
/// </summary>
/// <param name="createSdk">Makes AWSSDK.S3's client, at the first refusal; null where the sink stays with its own.</param>
/// <param name="time">The clock.</param>
/// <param name="createIn">Makes a client of a region, at the first answer that names one; its null, or null, where the region is not followed.</param>
internal sealed class ClientTrial(Func<IS3Requests>? createSdk, TimeProvider time, Func<string, IS3Requests?>? createIn = null) : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMinutes(1);

    private readonly Lock _lock = new();
    private IS3Requests? _sdk;
    private IS3Requests? _elsewhere;
    private string? _region;
    private long _refusedAt;
    private bool _isRefused;

    /// <summary>The client to repeat the request with; null when that would not help.</summary>
    /// <param name="fault">The first client's.</param>
    public IS3Requests? For(in S3Fault fault)
    {
        if (Volatile.Read(ref _isRefused) && time.GetElapsedTime(Volatile.Read(ref _refusedAt)) < Pause)
        {
            return null;
        }

        lock (_lock)
        {
            if (fault.MayBeOfTheForm)
            {
                return _sdk ??= createSdk?.Invoke();
            }

            if (fault.IsElsewhere && fault.Region is { } region && _elsewhere is null)
            {
                _elsewhere = createIn?.Invoke(region);
                _region = region;
            }

            return fault.IsElsewhere && fault.Region == _region ? _elsewhere : null;
        }
    }

    /// <summary>The region of a client that was made for one; null for AWSSDK.S3's.</summary>
    public string? RegionOf(IS3Requests client) => client == _elsewhere ? _region : null;

    /// <summary>The other client was refused too.</summary>
    public void Refused()
    {
        Volatile.Write(ref _refusedAt, time.GetTimestamp());
        Volatile.Write(ref _isRefused, true);
    }

    public void Dispose()
    {
        _sdk?.Dispose();
        _elsewhere?.Dispose();
    }
}
