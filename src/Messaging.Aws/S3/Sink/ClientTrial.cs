namespace Messaging.Aws.S3.Sink;

/// <summary>
/// AWSSDK.S3 beside the direct client: it repeats a request that the store refused for a reason that may lie in the request's form. When it is
/// refused too, which is the rule with wrong keys, it is not asked again for a minute. Threads: any number concurrently.
/// </summary>
/// <param name="create">Makes the client; called at the first refusal.</param>
/// <param name="time">The clock.</param>
internal sealed class ClientTrial(Func<IS3Requests> create, TimeProvider time) : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMinutes(1);

    private readonly Lazy<IS3Requests> _sdk = new(create);
    private long _refusedAt;
    private bool _isRefused;

    /// <summary>The client to repeat the request with; null when that would not help.</summary>
    /// <param name="fault">The direct client's.</param>
    public IS3Requests? For(in S3Fault fault) =>
        fault.MayBeOfTheForm && (!Volatile.Read(ref _isRefused) || time.GetElapsedTime(Volatile.Read(ref _refusedAt)) >= Pause) ? _sdk.Value : null;

    /// <summary>AWSSDK.S3 was refused too.</summary>
    public void Refused()
    {
        Volatile.Write(ref _refusedAt, time.GetTimestamp());
        Volatile.Write(ref _isRefused, true);
    }

    public void Dispose()
    {
        if (_sdk.IsValueCreated)
        {
            _sdk.Value.Dispose();
        }
    }
}
