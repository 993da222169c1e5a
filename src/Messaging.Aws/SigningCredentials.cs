namespace Messaging.Aws;

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
