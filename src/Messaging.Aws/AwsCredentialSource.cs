using System.Diagnostics.CodeAnalysis;
using Amazon.Runtime;
using Amazon.Runtime.CredentialManagement;
using Amazon.Runtime.Credentials;
using Amazon.SecurityToken;
using Amazon.SSO;
using Amazon.SSOOIDC;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;
using Quayside.Messaging.Objects;

namespace Quayside.Messaging.Aws;

/// <summary>
/// Supplies the signing keys: the configured ones, those of a configured profile, or those of AWSSDK.Core's default chain (environment, web
/// identity, profile, container, instance). Threads: any; one caller at a time asks the chain, and the others wait for its answer.
/// </summary>
internal sealed class AwsCredentialSource : IDisposable
{
    // A source that renews itself does so minutes before expiry and answers from memory: for it, this cache only saves a task per request.
    private static readonly TimeSpan CacheFor = TimeSpan.FromSeconds(30);

    private readonly Func<Task<AWSCredentials>> _resolve;
    private readonly TimeProvider _time;
    private readonly SemaphoreSlim _gate = new(1, 1);
    private Cached? _cached;
    private RefreshingAWSCredentials? _renewing;

    /// <summary>
    /// <paramref name="resolve"/> finds the SDK's credentials object; called whenever the cached keys are too old, unless they came from an object
    /// that renews itself. Such an object is asked again until it fails.
    /// </summary>
    public AwsCredentialSource(Func<Task<AWSCredentials>> resolve, TimeProvider time)
    {
        _resolve = resolve;
        _time = time;
    }

    /// <summary>Creates the configured source; the first <see cref="GetAsync"/> looks for keys.</summary>
    // AWSSDK.Core makes the clients of STS and of IAM Identity Center by their names, with the keys of the source profile. Its registry of
    // runtime dependencies is for builds that lack their constructors, but does not pass those keys; these lines keep the constructors.
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(AmazonSecurityTokenServiceClient))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(AmazonSecurityTokenServiceConfig))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(AmazonSSOClient))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(AmazonSSOConfig))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(AmazonSSOOIDCClient))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(AmazonSSOOIDCConfig))]
    public static AwsCredentialSource Create(AwsOptions options, TimeProvider time)
    {
        if (options.AccessKeyId is { } accessKeyId)
        {
            AWSCredentials fixedKeys = options.SessionToken is { Length: > 0 } token
                ? new SessionAWSCredentials(accessKeyId, options.SecretAccessKey, token)
                : new BasicAWSCredentials(accessKeyId, options.SecretAccessKey);
            return new AwsCredentialSource(() => Task.FromResult(fixedKeys), time);
        }

        return options.Profile is { } profile
            ? new AwsCredentialSource(() => Task.FromResult(OfProfile(profile)), time)
            : new AwsCredentialSource(OfProfileOrChainAsync, time);
    }

    /// <summary>Ends a start that names a profile which does not exist, before anything is asked.</summary>
    /// <exception cref="StartupException">The profile of the settings or of <c>AWS_PROFILE</c> is missing.</exception>
    public static void CheckProfile(AwsOptions options)
    {
        string? missing;
        try
        {
            missing = options.AccessKeyId is not null ? null
                : options.Profile is not { } configured ? FindMissingProfile()
                : new CredentialProfileStoreChain().TryGetProfile(configured, out _) ? null : configured;
        }
        catch (Exception)
        {
            // Files that cannot be read: the first request says so, without their lines.
            return;
        }

        if (missing is not null)
        {
            string setting = options.Profile is null ? "AWS_PROFILE" : $"{AwsOptions.Section}:{nameof(AwsOptions.Profile)}";
            throw new StartupException($"{setting}: {NotFound(missing)}", ExitCodes.NoPermission);
        }
    }

    /// <summary>The current keys; synchronous while the cached ones are fresh.</summary>
    /// <exception cref="AwsServiceException"><see cref="AwsErrorKind.Refused"/>, code <c>CredentialsUnavailable</c>: there are no credentials.</exception>
    public ValueTask<SigningCredentials> GetAsync(CancellationToken cancellationToken)
    {
        Cached? cached = Volatile.Read(ref _cached);
        return cached is not null && _time.GetElapsedTime(cached.Since) < CacheFor
            ? new ValueTask<SigningCredentials>(cached.Credentials)
            : AskAsync(rejected: null, cancellationToken);
    }

    /// <summary>Forces new keys after the service reported <paramref name="rejected"/> as expired.</summary>
    /// <returns>True when the keys have changed, so that a retry can succeed; another caller may have fetched them already.</returns>
    public async ValueTask<bool> RefreshAsync(SigningCredentials rejected, CancellationToken cancellationToken)
    {
        SigningCredentials current = await AskAsync(rejected, cancellationToken);
        return !current.IsSameAs(rejected);
    }

    public void Dispose() => _gate.Dispose();

    private async ValueTask<SigningCredentials> AskAsync(SigningCredentials? rejected, CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            Cached? cached = _cached;
            bool usable = rejected is null
                ? cached is not null && _time.GetElapsedTime(cached.Since) < CacheFor
                : cached is not null && !cached.Credentials.IsSameAs(rejected);
            if (usable)
            {
                return cached!.Credentials;
            }

            ImmutableCredentials keys = await FetchAsync(force: rejected is not null).WaitAsync(cancellationToken);
            SigningCredentials credentials = new(
                Checked(keys.AccessKey, "AWS_ACCESS_KEY_ID"),
                Checked(keys.SecretKey, "AWS_SECRET_ACCESS_KEY"),
                Checked(keys.Token ?? string.Empty, "AWS_SESSION_TOKEN"));

            // The same object for the same keys: SdkCredentials compares references.
            if (cached is not null && cached.Credentials.IsSameAs(credentials))
            {
                credentials = cached.Credentials;
            }

            Volatile.Write(ref _cached, new Cached(credentials, _time.GetTimestamp()));
            return credentials;
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            if (rejected is null && _cached is { } kept)
            {
                // They may be valid for an hour. If they are not, the service says so.
                Volatile.Write(ref _cached, kept with { Since = _time.GetTimestamp() });
                return kept.Credentials;
            }

            // Rejected keys must not be used again: the next caller asks, and learns why there are none.
            Volatile.Write(ref _cached, null);
            throw Unavailable(e);
        }
        finally
        {
            _gate.Release();
        }
    }

    private async Task<ImmutableCredentials> FetchAsync(bool force)
    {
        // A new object would run the profile's process, or ask STS, every time.
        AWSCredentials source = _renewing ?? await _resolve();
        _renewing = source as RefreshingAWSCredentials;
        try
        {
            if (force)
            {
                _renewing?.ClearCredentials();
            }

            return await source.GetCredentialsAsync();
        }
        catch
        {
            // The profile may have changed.
            _renewing = null;
            throw;
        }
    }

    private static AwsServiceException Unavailable(Exception cause)
    {
        // The exception may contain the keys that the credential process printed, or a line of a file, so neither it nor its text is passed on.
        bool printsKeys = cause is ProcessAWSCredentialException or InvalidDataException || cause.InnerException is ProcessAWSCredentialException;
        bool printsPassword = EnvironmentProxy.IsPasswordIn(cause);
        string reason = printsKeys ? "The profile's credential_process failed, or a line of the shared AWS configuration files cannot be read."
            : printsPassword ? "The proxy of HTTPS_PROXY did not pass the request on."
            : FirstSentence(cause.Message);
        return AwsServiceException.Local(
            AwsErrorKind.Refused,
            "Finding AWS credentials",
            "CredentialsUnavailable",
            $"set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, {AwsOptions.Section}:{nameof(AwsOptions.Profile)}, or run with a role. {reason}",
            printsKeys || printsPassword ? null : cause);
    }

    // A variable that was made from a file has the file's line end; settings are trimmed, too.
    private static string Checked(string key, string variable) => AwsOptions.IsKey(key.Trim()) ? key.Trim() : throw new AmazonClientException(
        $"{PlaceOf(key.Trim(), variable, Environment.GetEnvironmentVariable)} contains a blank, "
        + "a line break or another character that no key has: set it again, as AWS shows it.");

    /// <summary>Where a key comes from, which is not shown itself: a variable, or the line of that name in the shared AWS files.</summary>
    internal static string PlaceOf(string key, string variable, Func<string, string?> environment) =>
        environment(variable)?.Trim() == key ? variable : $"{variable.ToLowerInvariant()} of the profile, role or program";

    // The default chain lists the exception of each of its providers, a line each.
    private static string FirstSentence(string message)
    {
        int line = message.IndexOf('\n', StringComparison.Ordinal);
        int sentence = message.IndexOf(". ", StringComparison.Ordinal);
        return line < 0 ? message : message[..(sentence >= 0 && sentence < line ? sentence + 1 : line)].TrimEnd();
    }

    private static Task<AWSCredentials> OfProfileOrChainAsync() =>
        FindMissingProfile() is { } missing ? Task.FromResult(OfProfile(missing)) : DefaultAWSCredentialsIdentityResolver.GetCredentialsAsync();

    private static AWSCredentials OfProfile(string profile) =>
        new CredentialProfileStoreChain().TryGetAWSCredentials(profile, out AWSCredentials found)
            ? found
            : throw new ProfileNotFoundException(NotFound(profile));

    private static string NotFound(string profile) => $"The profile \"{UntrustedText.Shorten(profile)}\" is not in the shared AWS configuration files.";

    // AWSSDK would go on to the credentials of container and instance, which may be those of another account; AWS's CLI refuses.
    private static string? FindMissingProfile() => Environment.GetEnvironmentVariable("AWS_PROFILE") is { Length: > 0 } named
        && !(IsSet("AWS_ACCESS_KEY_ID") && IsSet("AWS_SECRET_ACCESS_KEY")) && !(IsSet("AWS_WEB_IDENTITY_TOKEN_FILE") && IsSet("AWS_ROLE_ARN"))
        && !new CredentialProfileStoreChain().TryGetProfile(named, out _) ? named : null;

    private static bool IsSet(string variable) => !string.IsNullOrEmpty(Environment.GetEnvironmentVariable(variable));

    private sealed record Cached(SigningCredentials Credentials, long Since);
}
