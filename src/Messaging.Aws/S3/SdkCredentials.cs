using Amazon.Runtime;

namespace Messaging.Aws.S3;

/// <summary>
/// Supplies the worker's credentials to the SDK. The caller prepares them before each attempt, where the wait can be cancelled; the
/// SDK's signer, which asks synchronously, then finds them ready. Threads: any.
/// </summary>
internal sealed class SdkCredentials(AwsCredentialSource source) : AWSCredentials, IDisposable
{
    private volatile Current? _current;

    /// <summary>Makes current keys available, and notes them in the attempt; almost always synchronous.</summary>
    /// <exception cref="AwsServiceException">There are no credentials.</exception>
    public async ValueTask PrepareAsync(S3Attempt attempt)
    {
        SigningCredentials keys = await source.GetAsync(attempt.Token);
        attempt.SignedWith = keys;

        // The source returns the same object for the same keys.
        if (!ReferenceEquals(_current?.Source, keys))
        {
            _current = new Current(keys, new ImmutableCredentials(keys.AccessKeyId, keys.SecretAccessKey, keys.SessionToken));
        }
    }

    /// <summary>Forces new keys after the store reported those of a request as expired.</summary>
    /// <returns>True when there are others.</returns>
    /// <exception cref="AwsServiceException">There are no credentials.</exception>
    public async ValueTask<bool> RefreshAsync(S3Fault fault, CancellationToken cancellationToken) =>
        fault.Expired is { } expired && await source.RefreshAsync(expired, cancellationToken);

    public override ImmutableCredentials GetCredentials() =>
        _current?.Keys ?? throw new InvalidOperationException("There are no credentials: PrepareAsync must be called before a request.");

    public void Dispose() => source.Dispose();

    private sealed record Current(SigningCredentials Source, ImmutableCredentials Keys)
    {
        public override string ToString() => Source.ToString();
    }
}
