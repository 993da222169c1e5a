using Amazon.Runtime;
using Amazon.Runtime.CredentialManagement;
using Amazon.Runtime.Internal;
using Amazon.S3;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws;

/// <summary>The address and the signing region of a service.</summary>
/// <param name="BaseUri">Scheme, host and port; the path is <c>/</c>.</param>
/// <param name="Region">The signing region.</param>
/// <param name="IsCustom">True for an AWS-compatible server (LocalStack, Ceph), whose answers may contain unusable hostnames.</param>
internal sealed record AwsEndpoint(Uri BaseUri, string Region, bool IsCustom)
{
    /// <summary>
    /// The server configured for a service, or null for AWS itself. Order as in the AWS SDKs ("Service-specific endpoints" in the
    /// SDK reference): the option, <c>AWS_ENDPOINT_URL_{SERVICE}</c>, <c>AWS_ENDPOINT_URL</c>, then <c>endpoint_url</c> of the service in the profile's
    /// services section and of the profile; only the option applies if <c>AWS_IGNORE_CONFIGURED_ENDPOINT_URLS</c> or the profile's
    /// <c>ignore_configured_endpoint_urls</c> is true.
    /// </summary>
    /// <exception cref="StartupException">The address of a variable or of the profile cannot be used.</exception>
    public static Uri? FindCustom(AwsOptions options, string service, Func<string, string?> environment)
    {
        if (options.Endpoint is not null)
        {
            return options.Endpoint;
        }

        string name = options.Profile ?? (environment("AWS_PROFILE") is { Length: > 0 } named ? named : SharedCredentialsFile.DefaultProfileName);
        string? location = environment("AWS_SHARED_CREDENTIALS_FILE");
        bool exists;
        CredentialProfile profile;
        try
        {
            exists = new CredentialProfileStoreChain(location).TryGetProfile(name, out profile);
        }
        catch (InvalidDataException)
        {
            // Its text is the line, which may be a key.
            throw new StartupException(
                "The shared AWS configuration files have a line that is no section, property or comment: correct it.", ExitCodes.Configuration);
        }

        bool ignores = string.Equals(environment("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"), "true", StringComparison.OrdinalIgnoreCase);
        if (ignores || (exists && profile.IgnoreConfiguredEndpointUrls == true))
        {
            return null;
        }

        // AWSSDK's clients would ask this property, too.
        ClientConfig ofSdk = new AmazonS3Config { Profile = new Amazon.Profile(name, location) };
        ofSdk.ServiceId = service;
        (string Where, string? Text)[] places =
        [
            ($"The environment variable AWS_ENDPOINT_URL_{service}", environment($"AWS_ENDPOINT_URL_{service}")),
            ("The environment variable AWS_ENDPOINT_URL", environment("AWS_ENDPOINT_URL")),
            ($"endpoint_url of the AWS profile \"{UntrustedText.Shorten(name)}\" for {service}",
                exists ? ofSdk.ServiceURL ?? EndpointUrlOf(name, environment) : null),
        ];
        (string where, string? text) = Array.Find(places, place => !string.IsNullOrWhiteSpace(place.Text));
        if (text is null)
        {
            return null;
        }

        string? problem = Uri.TryCreate(text.Trim(), UriKind.Absolute, out Uri? uri)
            ? FindProblem(uri, options.AllowPlainHttp, allowPath: service == "S3")
            : "must be an absolute address such as http://127.0.0.1:4566.";
        return problem is null ? uri : throw new StartupException($"{where} {problem}", ExitCodes.Configuration);
    }

    // Of a profile with a services section, AWSSDK does not read the profile's own endpoint_url, which AWS's CLI uses for the other services.
    private static string? EndpointUrlOf(string profile, Func<string, string?> environment)
    {
        string folder = Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".aws");
        string[] files =
        [
            environment("AWS_CONFIG_FILE") ?? Path.Combine(folder, "config"),
            environment("AWS_SHARED_CREDENTIALS_FILE") ?? Path.Combine(folder, "credentials"),
        ];
        string section = string.Empty;
        foreach (string line in files.Where(File.Exists).SelectMany(File.ReadLines))
        {
            section = line.StartsWith('[') ? line[1..].Split(']')[0].Replace("profile ", string.Empty, StringComparison.Ordinal).Trim() : section;

            // A key of a nested section is indented.
            if (section == profile && line.Split('=', 2) is [var key, var value] && key.TrimEnd() == "endpoint_url")
            {
                return value;
            }
        }

        return null;
    }

    /// <summary>True when the environment or the profile asks for endpoints with validated cryptography.</summary>
    public static bool IsFips => FallbackInternalConfigurationFactory.UseFIPSEndpoint == true;

    /// <summary>True when the environment or the profile asks for endpoints with IPv6.</summary>
    public static bool IsDualStack => FallbackInternalConfigurationFactory.UseDualStackEndpoint == true;

    /// <summary>The AWS setting that asks for another kind of endpoint than the usual one, from the environment or the profile; null for none.</summary>
    public static string? FindVariant() => IsFips ? "AWS_USE_FIPS_ENDPOINT (use_fips_endpoint)"
        : IsDualStack ? "AWS_USE_DUALSTACK_ENDPOINT (use_dualstack_endpoint)"
        : null;

    /// <summary>Why an address cannot be an endpoint, as the predicate of a sentence; null when it can. Stores of objects may be below a path.</summary>
    public static string? FindProblem(Uri uri, bool allowPlainHttp, bool allowPath = false)
    {
        if (!uri.IsAbsoluteUri || (uri.Scheme != Uri.UriSchemeHttps && uri.Scheme != Uri.UriSchemeHttp))
        {
            return "must be an http or https address.";
        }

        if (uri.UserInfo.Length != 0 || uri.Query.Length != 0 || uri.Fragment.Length != 0 || (uri.AbsolutePath != "/" && !allowPath))
        {
            return $"must consist of scheme, host{(allowPath ? ", port and path" : " and port")} only; keys belong in AccessKeyId and SecretAccessKey.";
        }

        return uri.Scheme == Uri.UriSchemeHttp && !uri.IsLoopback && !allowPlainHttp
            ? $"must be https, because the host is not this machine; set {AwsOptions.Section}:{nameof(AwsOptions.AllowPlainHttp)} to allow plain http."
            : null;
    }
}
