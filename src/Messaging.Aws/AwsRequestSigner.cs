using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Aws;

/// <summary>
/// Signs requests to a service that is called by its HTTP interface, such as Amazon OpenSearch, with Signature Version 4. Meant for a few
/// large requests: its texts are strings. Sources: "AWS Signature Version 4 for API requests", IAM user guide; "Signing HTTP requests",
/// Amazon OpenSearch Serverless, which requires x-amz-content-sha256. Threads: any.
/// </summary>
internal sealed class AwsRequestSigner : IRequestSigner
{
    // A service refuses a signature that is more than 5 minutes off.
    private static readonly TimeSpan ClockTolerance = TimeSpan.FromMinutes(1);

    private static readonly HttpRequestOptionsKey<SigningCredentials> Used = new("worker.signed.with");

    private readonly AwsCredentialSource _credentials;
    private readonly AwsClock _clock;
    private readonly SigV4Signer _signer;

    /// <param name="service">The service's signing name.</param>
    /// <param name="region">The region.</param>
    /// <param name="credentials">Owned from here on.</param>
    /// <param name="clock">The clock of the signatures.</param>
    internal AwsRequestSigner(string service, string region, AwsCredentialSource credentials, AwsClock clock)
    {
        _credentials = credentials;
        _clock = clock;
        _signer = new SigV4Signer(service, region, clock);
    }

    /// <summary>The SHA-256 of no bytes, for requests without a body.</summary>
    public static string EmptyHash { get; } = Convert.ToHexStringLower(SHA256.HashData([]));

    /// <summary>
    /// Creates a signer for the region of the settings, else that of an address such as <c>name.eu-west-1.es.amazonaws.com</c>, else of
    /// AWS's usual places, which may take seconds: call it at start only.
    /// </summary>
    /// <param name="service">The service's signing name, such as <c>es</c>.</param>
    /// <param name="address">The service's address.</param>
    /// <param name="aws">Credentials and region.</param>
    /// <param name="time">The clock.</param>
    /// <exception cref="StartupException">No region is known.</exception>
    public static AwsRequestSigner Create(string service, Uri address, AwsOptions aws, TimeProvider time) => new(
        service,
        AwsRegion.Resolve(aws, RegionOf(address.Host, service), Environment.GetEnvironmentVariable),
        AwsCredentialSource.Create(aws, time),
        new AwsClock(time));

    /// <inheritdoc/>
    public async ValueTask SignAsync(HttpRequestMessage request, string payloadHash, CancellationToken cancellationToken)
    {
        SigningCredentials credentials = await GetAsync(_credentials.GetAsync(cancellationToken));
        DateTimeOffset at = _clock.UtcNow;
        string date = _signer.DateTimeOf(at);
        HttpRequestHeaders headers = request.Headers;
        headers.TryAddWithoutValidation("x-amz-content-sha256", payloadHash);
        headers.TryAddWithoutValidation("x-amz-date", date);
        if (credentials.SessionToken is { } token)
        {
            headers.TryAddWithoutValidation("x-amz-security-token", token);
        }

        Uri uri = request.RequestUri!;
        string? type = request.Content?.Headers.ContentType?.ToString();
        string names =
            $"{(type is null ? "" : "content-type;")}host;x-amz-content-sha256;x-amz-date{(credentials.SessionToken is null ? "" : ";x-amz-security-token")}";
        string canonical = $"{request.Method.Method}\n{PathOf(uri)}\n{QueryOf(uri)}\n{(type is null ? "" : $"content-type:{type}\n")}host:"
            + $"{SigV4Signer.HostOf(uri)}\nx-amz-content-sha256:{payloadHash}\nx-amz-date:{date}\n"
            + $"{(credentials.SessionToken is null ? "" : $"x-amz-security-token:{credentials.SessionToken}\n")}\n{names}\n{payloadHash}";
        headers.TryAddWithoutValidation("Authorization", _signer.Authorize(Encoding.UTF8.GetBytes(canonical), Encoding.ASCII.GetBytes(names), credentials, at));
        request.Options.Set(Used, credentials);
    }

    /// <inheritdoc/>
    public async ValueTask<bool> TryRecoverAsync(HttpRequestMessage refused, DateTimeOffset? serverTime, CancellationToken cancellationToken)
    {
        if (serverTime is { } time && (time - _clock.UtcNow).Duration() > ClockTolerance)
        {
            _clock.Correct(time);
            return true;
        }

        return refused.Options.TryGetValue(Used, out SigningCredentials? used) && await GetAsync(_credentials.RefreshAsync(used, cancellationToken));
    }

    /// <inheritdoc/>
    public void Dispose() => _credentials.Dispose();

    private static async ValueTask<T> GetAsync<T>(ValueTask<T> found)
    {
        try
        {
            return await found;
        }
        catch (AwsServiceException missing)
        {
            throw new StartupException(missing.Message, ExitCodes.NoPermission);
        }
    }

    // As sent, and encoded once more: only S3 differs.
    private static string PathOf(Uri uri) => string.Join('/', uri.AbsolutePath.Split('/').Select(Uri.EscapeDataString));

    private static string QueryOf(Uri uri) => string.Join('&', uri.Query.TrimStart('?')
        .Split('&', StringSplitOptions.RemoveEmptyEntries)
        .Select(parameter => string.Join('=', parameter.Split('=', 2).Select(part => Uri.EscapeDataString(Uri.UnescapeDataString(part)))))
        .Order(StringComparer.Ordinal));

    private static string? RegionOf(string host, string service)
    {
        string[] labels = host.Split('.');
        int at = Array.LastIndexOf(labels, service);
        return at > 0 && host.Contains(".amazonaws.", StringComparison.OrdinalIgnoreCase) ? labels[at - 1] : null;
    }
}

/// <summary>The keys that sign one request. Immutable; ToString shows none of them.</summary>
internal sealed class SigningCredentials(string accessKeyId, string secretAccessKey, string? sessionToken)
{
    public string AccessKeyId { get; } = accessKeyId;

    public string SecretAccessKey { get; } = secretAccessKey;

    /// <summary>Null for long-lived keys.</summary>
    public string? SessionToken { get; } = string.IsNullOrEmpty(sessionToken) ? null : sessionToken;

    /// <summary>True when both hold the same keys.</summary>
    public bool IsSameAs(SigningCredentials other) =>
        string.Equals(AccessKeyId, other.AccessKeyId, StringComparison.Ordinal)
        && string.Equals(SecretAccessKey, other.SecretAccessKey, StringComparison.Ordinal)
        && string.Equals(SessionToken, other.SessionToken, StringComparison.Ordinal);

    public override string ToString() => "AWS credentials (hidden)";
}
