using Amazon.Runtime.Internal;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Aws;

/// <summary>The address and the signing region of a service.</summary>
/// <param name="BaseUri">Scheme, host and port; the path is <c>/</c>.</param>
/// <param name="Region">The signing region.</param>
/// <param name="IsCustom">True for an AWS-compatible server (LocalStack, Ceph), whose answers may contain unusable hostnames.</param>
internal sealed record AwsEndpoint(Uri BaseUri, string Region, bool IsCustom)
{
    /// <summary>
    /// The server configured for a service, or null for AWS itself. Order as in the AWS SDKs ("Service-specific endpoints" in the
    /// SDK reference): the option, <c>AWS_ENDPOINT_URL_{SERVICE}</c>, <c>AWS_ENDPOINT_URL</c>; the variables apply unless
    /// <c>AWS_IGNORE_CONFIGURED_ENDPOINT_URLS</c> is true.
    /// </summary>
    /// <exception cref="StartupException">A variable's address cannot be used.</exception>
    public static Uri? FindCustom(AwsOptions options, string service, Func<string, string?> environment)
    {
        if (options.Endpoint is not null)
        {
            return options.Endpoint;
        }

        if (string.Equals(environment("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"), "true", StringComparison.OrdinalIgnoreCase))
        {
            return null;
        }

        foreach (string variable in (ReadOnlySpan<string>)[$"AWS_ENDPOINT_URL_{service}", "AWS_ENDPOINT_URL"])
        {
            if (environment(variable) is not { Length: > 0 } text)
            {
                continue;
            }

            string? problem = Uri.TryCreate(text, UriKind.Absolute, out Uri? uri)
                ? FindProblem(uri, options.AllowPlainHttp)
                : "must be an absolute address such as http://127.0.0.1:4566.";
            return problem is null
                ? uri
                : throw new StartupException($"The environment variable {variable} {problem}", ExitCodes.Configuration);
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

    /// <summary>Why an address cannot be an endpoint, as the predicate of a sentence; null when it can.</summary>
    public static string? FindProblem(Uri uri, bool allowPlainHttp)
    {
        if (!uri.IsAbsoluteUri || (uri.Scheme != Uri.UriSchemeHttps && uri.Scheme != Uri.UriSchemeHttp))
        {
            return "must be an http or https address.";
        }

        if (uri.UserInfo.Length != 0 || uri.PathAndQuery != "/" || uri.Fragment.Length != 0)
        {
            return "must consist of scheme, host and port only.";
        }

        return uri.Scheme == Uri.UriSchemeHttp && !uri.IsLoopback && !allowPlainHttp
            ? $"must be https, because the host is not this machine; set {AwsOptions.Section}:{nameof(AwsOptions.AllowPlainHttp)} to allow plain http."
            : null;
    }
}
