using Amazon.Runtime;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws.S3;

/// <summary>
/// Makes the SDK's calls with the worker's credentials. They are found before each request, where the wait can be cancelled; the
/// SDK's signer, which asks synchronously, then finds them ready. Threads: any.
/// </summary>
internal sealed class SdkCredentials(AwsCredentialSource source) : AWSCredentials, IDisposable
{
    private volatile Current? _current;

    /// <summary>Makes one call with the SDK, and counts its requests. Repeats it only as <see cref="SignatureRecovery"/> does.</summary>
    /// <exception cref="AwsServiceException">There are no credentials.</exception>
    public async ValueTask<T> CallAsync<T>(S3Attempt attempt, ApiCalls calls, ApiOperation operation, Func<CancellationToken, Task<T>> send)
    {
        SignatureRecovery recovery = new(source, clock: null);
        while (true)
        {
            SigningCredentials keys = await source.GetAsync(attempt.Token);

            // The source returns the same object for the same keys.
            if (!ReferenceEquals(_current?.Source, keys))
            {
                _current = new Current(keys, new ImmutableCredentials(keys.AccessKeyId, keys.SecretAccessKey, keys.SessionToken));
            }

            try
            {
                return await attempt.CountAsync(calls, operation, send(attempt.Token));
            }
            catch (AmazonServiceException refusal)
            {
                AwsErrorKind kind = operation == S3Calls.Head
                    ? AwsError.KindOfHead((int)refusal.StatusCode, skew: default, isSession: keys.SessionToken is not null)
                    : S3Fault.Of(refusal).Kind;
                if (!await recovery.TryAsync(kind, serverTime: null, keys, attempt.Token))
                {
                    throw;
                }
            }
        }
    }

    public override ImmutableCredentials GetCredentials() =>
        _current?.Keys ?? throw new InvalidOperationException("There are no credentials: every request goes through CallAsync.");

    public void Dispose() => source.Dispose();

    private sealed record Current(SigningCredentials Source, ImmutableCredentials Keys)
    {
        public override string ToString() => Source.ToString();
    }
}
