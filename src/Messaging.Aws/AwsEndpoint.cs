namespace Messaging.Aws;

/// <summary>Where requests of one service go and which region they are signed for.</summary>
/// <param name="BaseUri">Scheme, host and port; the path is <c>/</c>.</param>
/// <param name="Region">The signing region.</param>
/// <param name="IsCustom">True for an AWS-compatible server (LocalStack, Ceph): host names such a server puts into its answers mean nothing.</param>
internal sealed record AwsEndpoint(Uri BaseUri, string Region, bool IsCustom)
{
    /// <summary>
    /// The server configured for a service, or null for AWS itself. Order as in the AWS SDKs ("Service-specific endpoints" in the
    /// SDK reference): the option, <c>AWS_ENDPOINT_URL_{SERVICE}</c>, <c>AWS_ENDPOINT_URL</c>; the variables count unless
    /// <c>AWS_IGNORE_CONFIGURED_ENDPOINT_URLS</c> is true.
    /// </summary>
    /// <param name="options">The validated options.</param>
    /// <param name="service">The service in capitals, such as <c>SQS</c>.</param>
    /// <param name="environment">Reads a variable; null when it is not set.</param>
    /// <exception cref="Hosting.StartupException">A variable holds no usable address.</exception>
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
                : throw new Hosting.StartupException($"The environment variable {variable} {problem}", Hosting.ExitCodes.Configuration);
        }

        return null;
    }

    /// <summary>Why an address cannot be an endpoint, as the rest of a sentence about it; null when it can.</summary>
    public static string? FindProblem(Uri uri, bool allowPlainHttp)
    {
        if (!uri.IsAbsoluteUri || (uri.Scheme != Uri.UriSchemeHttps && uri.Scheme != Uri.UriSchemeHttp))
        {
            return "must be an http or https address.";
        }

        if (uri.UserInfo.Length != 0 || uri.PathAndQuery != "/" || uri.Fragment.Length != 0)
        {
            return "must be scheme, host and port only.";
        }

        return uri.Scheme == Uri.UriSchemeHttp && !uri.IsLoopback && !allowPlainHttp
            ? $"must be https, since it is not this machine; set {AwsOptions.Section}:{nameof(AwsOptions.AllowPlainHttp)} to allow plain http."
            : null;
    }
}
