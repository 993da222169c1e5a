using Messaging.Configuration;

namespace Messaging.Aws;

/// <summary>
/// Section <c>Aws</c>: region, endpoint and credentials of every feature that calls AWS. All of it may be left out on a machine that has the
/// usual AWS environment (variables, profile, container or instance role).
/// </summary>
public sealed class AwsOptions : ISelfValidating
{
    /// <summary>The configuration section these settings are read from.</summary>
    public const string Section = "Aws";

    /// <summary>The section; a route may give it for itself.</summary>
    public static SettingsSection Settings { get; } = SettingsSection.Of<AwsOptions>(Section, perRoute: true);

    [Setting("Region to sign for, such as eu-west-1; without it the queue's address, AWS_REGION, AWS_DEFAULT_REGION, the profile, then the instance decide")]
    public string? Region { get; init; }

    [Setting("Address of an AWS-compatible server; without it AWS_ENDPOINT_URL_{SERVICE}, then AWS_ENDPOINT_URL, then AWS itself")]
    public Uri? Endpoint { get; init; }

    [Setting("Access key id; without it AWS's default chain finds credentials", Secret = true)]
    public string? AccessKeyId { get; init; }

    [Setting("Secret access key that belongs to AccessKeyId", Secret = true)]
    public string? SecretAccessKey { get; init; }

    [Setting("Session token of temporary credentials given by AccessKeyId and SecretAccessKey", Secret = true)]
    public string? SessionToken { get; init; }

    [Setting("Profile of the shared AWS configuration files to take credentials and region from")]
    public string? Profile { get; init; }

    [Setting("Allows plain http to an endpoint that is not this machine")]
    public bool AllowPlainHttp { get; init; }

    /// <inheritdoc/>
    /// <remarks>A problem is never reported on a secret property that has a value: the report shows the value.</remarks>
    public void Validate(SettingsCheck check)
    {
        if (AccessKeyId is null && (SecretAccessKey ?? SessionToken) is not null)
        {
            check.Fail(nameof(AccessKeyId), "must be set when SecretAccessKey or SessionToken is.", "Requests could not be signed.", nameof(SecretAccessKey), nameof(SessionToken));
        }

        if (AccessKeyId is not null && SecretAccessKey is null)
        {
            check.Fail(nameof(SecretAccessKey), "must be set when AccessKeyId is.", "Requests could not be signed.", nameof(AccessKeyId));
        }

        if (Profile is not null && AccessKeyId is not null)
        {
            check.Fail(nameof(Profile), "must not be set together with AccessKeyId.", "It would be unclear which credentials count.", nameof(AccessKeyId));
        }

        if (Region is not null && !AwsRegion.IsWellFormed(Region))
        {
            check.Fail(nameof(Region), "must be a region's name such as eu-west-1.", "Signatures would be refused.");
        }

        const string Unreachable = "Requests would not arrive, or credentials would travel in the open.";
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
