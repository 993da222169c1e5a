namespace Messaging.Aws.S3;

/// <summary>Which store the settings mean; the same for every client.</summary>
/// <param name="Custom">An S3-compatible store's address; null for AWS itself.</param>
/// <param name="Region">The region to sign for.</param>
/// <param name="PathStyle">True when the bucket stands in the path, false when it stands in the host name.</param>
internal sealed record S3Endpoint(Uri? Custom, string Region, bool PathStyle)
{
    /// <summary>Finds the endpoint. Asks for the region where none is configured, which may take seconds outside of AWS; opens no connection.</summary>
    /// <param name="forcePathStyle">Whether the bucket stands in the path; null for what the kind of store needs.</param>
    /// <param name="aws">Endpoint and region, the caller's own in front.</param>
    /// <param name="environment">Reads a variable; null when it is not set.</param>
    /// <exception cref="Hosting.StartupException">There is no usable region or endpoint.</exception>
    public static S3Endpoint Resolve(bool? forcePathStyle, AwsOptions aws, Func<string, string?> environment)
    {
        Uri? custom = AwsEndpoint.FindCustom(aws, "S3", environment);

        // A store outside of AWS mostly has no regions, and then takes the one that S3 started in.
        string region = custom is null
            ? AwsRegion.Resolve(aws, fromAddress: null, environment)
            : FirstSet(aws.Region, environment("AWS_REGION"), environment("AWS_DEFAULT_REGION")) ?? "us-east-1";
        return new S3Endpoint(custom, region, forcePathStyle ?? custom is not null);
    }

    private static string? FirstSet(params ReadOnlySpan<string?> values)
    {
        foreach (string? value in values)
        {
            if (!string.IsNullOrWhiteSpace(value))
            {
                return value;
            }
        }

        return null;
    }
}
