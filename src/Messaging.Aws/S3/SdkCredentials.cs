using Amazon.Runtime;

namespace Messaging.Aws.S3;

/// <summary>
/// Supplies the worker's credentials to the SDK. The caller prepares them before each attempt, where the wait can be cancelled; the
/// SDK's signer, which asks synchronously, then finds them ready. Threads: any.
/// </summary>
internal sealed class SdkCredentials(AwsCredentialSource source) : AWSCredentials, IDisposable
{
    private volatile Current? _current;

    /// <summary>True when the current keys are temporary.</summary>
    public bool IsSession => _current?.Source.SessionToken is not null;

    /// <summary>Makes current keys available; almost always synchronous.</summary>
    /// <exception cref="AwsServiceException">There are no credentials.</exception>
    public ValueTask PrepareAsync(CancellationToken cancellationToken)
    {
        ValueTask<SigningCredentials> keys = source.GetAsync(cancellationToken);
        if (!keys.IsCompletedSuccessfully)
        {
            return AwaitAsync(keys);
        }

        Use(keys.Result);
        return default;
    }

    /// <summary>Forces new keys after the store reported the current ones as expired.</summary>
    /// <returns>True when the keys have changed.</returns>
    /// <exception cref="AwsServiceException">There are no credentials.</exception>
    public async ValueTask<bool> RefreshAsync(CancellationToken cancellationToken) =>
        _current is { } current && await source.RefreshAsync(current.Source, cancellationToken);

    public override ImmutableCredentials GetCredentials() =>
        _current?.Keys ?? throw new InvalidOperationException("There are no credentials: PrepareAsync must be called before a request.");

    public void Dispose() => source.Dispose();

    private async ValueTask AwaitAsync(ValueTask<SigningCredentials> keys) => Use(await keys);

    private void Use(SigningCredentials keys)
    {
        // The source returns the same object for the same keys.
        if (!ReferenceEquals(_current?.Source, keys))
        {
            _current = new Current(keys, new ImmutableCredentials(keys.AccessKeyId, keys.SecretAccessKey, keys.SessionToken));
        }
    }

    private sealed record Current(SigningCredentials Source, ImmutableCredentials Keys)
    {
        public override string ToString() => Source.ToString();
    }
}
