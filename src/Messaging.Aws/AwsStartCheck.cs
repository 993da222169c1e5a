using Amazon.Runtime;
using Amazon.Runtime.CredentialManagement;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws;

/// <summary>
/// Looks for region and credentials without a request: in settings, environment and files. Container, instance, STS and the programs of profiles are asked
/// only by a start. The order is that of <see cref="AwsCredentialSource"/>.
/// </summary>
internal static class AwsStartCheck
{
    private const string Key = $"{AwsOptions.Section}:{nameof(AwsOptions.AccessKeyId)}";
    private const string NoProfile = "must be a profile with credentials in the shared AWS configuration files (~/.aws/credentials and ~/.aws/config).";
    private const string Refused = "A start ends with exit code 77.";

    /// <summary>Checks a region, an endpoint and credentials.</summary>
    /// <param name="findings">Receives what is found.</param>
    /// <param name="options">The settings.</param>
    /// <param name="fromAddress">The region that an address names; null for none.</param>
    /// <param name="service">SQS or S3, for a configured endpoint.</param>
    /// <param name="resolve">Resolves the endpoint as the start does; called only if that needs no request.</param>
    public static void Check(StartFindings findings, AwsOptions options, string? fromAddress, string service, Action resolve)
    {
        // First: it reports files that cannot be read. Of stores outside AWS only queues need a region.
        Uri? custom = AwsEndpoint.FindCustom(options, service, Environment.GetEnvironmentVariable);
        CheckCredentials(findings, options);
        string? otherwise = service == "S3" && custom is not null ? "us-east-1" : null;
        if (AwsRegion.FindOnThisMachine(options, fromAddress, Environment.GetEnvironmentVariable, otherwise) is not null || !AsksInstance)
        {
            resolve();
        }
        else
        {
            findings.LeaveToStart($"No AWS region is set: the start asks the metadata of the EC2 instance, and ends with exit code 78 if it is not on one. Elsewhere, set {AwsOptions.Section}:{nameof(AwsOptions.Region)} or AWS_REGION.");
        }
    }

    /// <summary>
    /// The profile of <c>AWS_PROFILE</c> when it would count and does not exist; null otherwise. AWSSDK would go on to the credentials of container and
    /// instance, which may be those of another account; AWS's CLI refuses.
    /// </summary>
    public static string? FindMissingProfile() => Environment.GetEnvironmentVariable("AWS_PROFILE") is { Length: > 0 } named
        && !(IsSet("AWS_ACCESS_KEY_ID") && IsSet("AWS_SECRET_ACCESS_KEY")) && !(IsSet("AWS_WEB_IDENTITY_TOKEN_FILE") && IsSet("AWS_ROLE_ARN"))
        && !new CredentialProfileStoreChain().TryGetProfile(named, out _) ? named : null;

    private static bool AsksInstance => !IsTrue("AWS_EC2_METADATA_DISABLED");

    private static void CheckCredentials(StartFindings findings, AwsOptions options)
    {
        if (options.AccessKeyId is not null)
        {
            return;
        }

        if (options.Profile is { } configured)
        {
            if (!TryCheckProfile(findings, configured))
            {
                findings.Fail($"{AwsOptions.Section}:{nameof(AwsOptions.Profile)}", configured, NoProfile, Refused);
            }

            return;
        }

        if (IsSet("AWS_WEB_IDENTITY_TOKEN_FILE") && IsSet("AWS_ROLE_ARN"))
        {
            string file = Environment.GetEnvironmentVariable("AWS_WEB_IDENTITY_TOKEN_FILE")!;
            if (File.Exists(file))
            {
                findings.LeaveToStart("Whether STS accepts the web identity token of AWS_WEB_IDENTITY_TOKEN_FILE.");
            }
            else
            {
                findings.Fail("AWS_WEB_IDENTITY_TOKEN_FILE", UntrustedText.Shorten(file), "must name a file that exists.", Refused);
            }

            return;
        }

        if ((IsSet("AWS_ACCESS_KEY_ID") && IsSet("AWS_SECRET_ACCESS_KEY")) || TryCheckProfile(findings, Environment.GetEnvironmentVariable("AWS_PROFILE") is { Length: > 0 } named ? named : SharedCredentialsFile.DefaultProfileName))
        {
            return;
        }

        if (FindMissingProfile() is { } missing)
        {
            findings.Fail("AWS_PROFILE", UntrustedText.Shorten(missing), NoProfile, Refused);
        }
        else if (IsSet("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") || IsSet("AWS_CONTAINER_CREDENTIALS_FULL_URI"))
        {
            findings.LeaveToStart("Whether the container has AWS credentials (AWS_CONTAINER_CREDENTIALS_...).");
        }
        else if (AsksInstance)
        {
            findings.LeaveToStart($"No AWS credentials are in settings, environment or profile: the start asks for the role of the EC2 instance, and ends with exit code 77 if there is none. Elsewhere, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, {AwsOptions.Section}:{nameof(AwsOptions.Profile)}, or {Key} and {AwsOptions.Section}:{nameof(AwsOptions.SecretAccessKey)}.");
        }
        else
        {
            findings.Fail(Key, value: null, $"must be set with {nameof(AwsOptions.SecretAccessKey)}, or AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY, or {AwsOptions.Section}:{nameof(AwsOptions.Profile)}: there are no AWS credentials, and AWS_EC2_METADATA_DISABLED excludes those of an instance.", Refused);
        }
    }

    /// <returns>False when there is no such profile, or it has no credentials.</returns>
    private static bool TryCheckProfile(StartFindings findings, string name)
    {
        CredentialProfileStoreChain profiles = new();
        if (!profiles.TryGetProfile(name, out CredentialProfile profile) || !profile.CanCreateAWSCredentials)
        {
            return false;
        }

        // Made from the files alone: credentials that need a request or a program are fetched later.
        if (profile.GetAWSCredentials(profiles) is not (BasicAWSCredentials or SessionAWSCredentials))
        {
            findings.LeaveToStart($"Whether the profile \"{UntrustedText.Shorten(name)}\" gets credentials: they come from a role, a sign-in or a program.");
        }

        return true;
    }

    private static bool IsSet(string variable) => !string.IsNullOrEmpty(Environment.GetEnvironmentVariable(variable));

    private static bool IsTrue(string variable) => string.Equals(Environment.GetEnvironmentVariable(variable), "true", StringComparison.OrdinalIgnoreCase);
}
