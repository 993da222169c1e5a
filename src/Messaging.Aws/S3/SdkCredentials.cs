using Amazon.Runtime;

namespace Messaging.Aws.S3;

/// <summary>
/// Hands the worker's credentials to the SDK. The sender asks for them before each attempt, where waiting can be cancelled; the
/// SDK, whose signer asks synchronously, finds them ready. Threads: any.
/// </summary>
internal sealed class SdkCredentials(AwsCredentialSource source) : AWSCredentials, IDisposable
{
    private volatile Current? _current;

    /// <summary>Makes sure that current keys are there; synchronous nearly always.</summary>
    /// <exception cref="AwsServiceException">There are none.</exception>
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

    /// <summary>Forces new keys after the store called the current ones expired.</summary>
    /// <returns>True when there now are others.</returns>
    /// <exception cref="AwsServiceException">There are none.</exception>
    public async ValueTask<bool> RefreshAsync(CancellationToken cancellationToken) =>
        _current is { } current && await source.RefreshAsync(current.Source, cancellationToken);

    public override ImmutableCredentials GetCredentials() =>
        _current?.Keys ?? throw new InvalidOperationException("Credentials are prepared before a request is made.");

    public void Dispose() => source.Dispose();

    private async ValueTask AwaitAsync(ValueTask<SigningCredentials> keys) => Use(await keys);

    private void Use(SigningCredentials keys)
    {
        // The source gives the same object as long as the keys are the same.
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
