using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Aws;

/// <summary>
/// Section <c>Aws</c>: region, endpoint and credentials of every feature that calls AWS. No setting is required on a machine with the
/// usual AWS environment (variables, profile, container or instance role).
/// </summary>
public sealed class AwsOptions : ISelfValidating
{
    /// <summary>The configuration section these settings are read from.</summary>
    public const string Section = "Aws";

    /// <summary>The section; a route may override it.</summary>
    public static SettingsSection Settings { get; } = SettingsSection.Of<AwsOptions>(Section, perRoute: true);

    [Setting(
        "Region to sign for, such as eu-west-1; default: the region of the queue's address, AWS_REGION, AWS_DEFAULT_REGION, the profile, then the instance")]
    public string? Region { get; init; }

    [Setting("Address of an AWS-compatible server; default AWS_ENDPOINT_URL_{SERVICE}, AWS_ENDPOINT_URL, endpoint_url of the AWS profile, then AWS itself")]
    public Uri? Endpoint { get; init; }

    [Setting("Access key id; default: credentials from AWS's default chain", Secret = true)]
    public string? AccessKeyId { get; init; }

    [Setting("Secret access key that belongs to AccessKeyId", Secret = true)]
    public string? SecretAccessKey { get; init; }

    [Setting("Session token of the temporary credentials in AccessKeyId and SecretAccessKey", Secret = true, Advanced = true)]
    public string? SessionToken { get; init; }

    [Setting("Profile in the shared AWS configuration files, for credentials and region")]
    public string? Profile { get; init; }

    [Setting("Allows plain http to an endpoint on another machine", Advanced = true)]
    public bool AllowPlainHttp { get; init; }

    /// <summary>True for what a key or token of AWS can be: no blank, no line break, nothing beyond ASCII.</summary>
    internal static bool IsKey(string key) => key.All(c => c is > ' ' and <= '~');

    /// <summary>Reports credentials that can sign nothing, or that are ambiguous; of this section, or of one that overrides it.</summary>
    internal static void CheckCredentials(SettingsCheck check, string? accessKeyId, string? secretAccessKey, string? sessionToken, string? profile)
    {
        (string Name, string? Key)[] keys =
            [(nameof(AccessKeyId), accessKeyId), (nameof(SecretAccessKey), secretAccessKey), (nameof(SessionToken), sessionToken)];
        foreach ((string name, string? key) in keys)
        {
            if (key is not null && !IsKey(key))
            {
                check.Fail(
                    name,
                    "must have no blank, no line break and no character beyond ASCII: set it again, as AWS shows it.",
                    "Requests could not be signed.");
            }
        }

        if (accessKeyId is null && (secretAccessKey ?? sessionToken) is not null)
        {
            check.Fail(
                nameof(AccessKeyId), "must be set when SecretAccessKey or SessionToken is.", "Requests could not be signed.", nameof(SecretAccessKey),
                nameof(SessionToken));
        }

        if (accessKeyId is not null && secretAccessKey is null)
        {
            check.Fail(nameof(SecretAccessKey), "must be set when AccessKeyId is.", "Requests could not be signed.", nameof(AccessKeyId));
        }

        if (profile is not null && accessKeyId is not null)
        {
            check.Fail(nameof(Profile), "must not be set together with AccessKeyId.", "It would be unclear which credentials apply.", nameof(AccessKeyId));
        }
    }

    /// <inheritdoc/>
    public void Validate(SettingsCheck check)
    {
        CheckCredentials(check, AccessKeyId, SecretAccessKey, SessionToken, Profile);
        if (Region is not null && !AwsRegion.IsWellFormed(Region))
        {
            check.Fail(nameof(Region), "must be a region's name such as eu-west-1.", "Signatures would be refused.");
        }

        const string Unreachable = "Requests would not arrive, or credentials would travel unencrypted.";
        if (Endpoint is not null && AwsEndpoint.FindProblem(Endpoint, allowPlainHttp: true) is { } problem)
        {
            check.Fail(nameof(Endpoint), problem, Unreachable);
        }
        else if (Endpoint is not null && AwsEndpoint.FindProblem(Endpoint, AllowPlainHttp) is { } plain)
        {
            check.Fail(nameof(Endpoint), plain, Unreachable, nameof(AllowPlainHttp));
        }
    }
}
