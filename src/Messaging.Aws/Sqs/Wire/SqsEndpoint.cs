using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>Determines the host to call for a queue, and the signing region.</summary>
internal static class SqsEndpoint
{
    /// <summary>
    /// A configured endpoint is called regardless of the queue's URL: emulators return URLs with hostnames of their own, and the URL only
    /// identifies the queue in the request. Without one the host of an AWS queue URL is called (so VPC, FIPS and dual-stack names work), else
    /// the region's standard endpoint. Call it at start only; see <see cref="AwsRegion.Resolve"/>.
    /// </summary>
    /// <exception cref="StartupException">No region, a contradiction, or a queue URL that is neither AWS's nor covered by an endpoint.</exception>
    public static AwsEndpoint Resolve(AwsOptions options, SqsQueueReference queue, Func<string, string?> environment)
    {
        Uri? custom = AwsEndpoint.FindCustom(options, "SQS", environment);
        if (custom is not null)
        {
            return new AwsEndpoint(custom, AwsRegion.Resolve(options, queue.Region, environment), IsCustom: true);
        }

        if (queue.Url is { } url && !queue.IsAwsUrl)
        {
            throw new StartupException(
                $"The queue's URL names the host {UntrustedText.Shorten(url.IdnHost)}, which is not an SQS host of AWS: set "
                    + $"{AwsOptions.Section}:{nameof(AwsOptions.Endpoint)} or AWS_ENDPOINT_URL_SQS to the server to call.",
                ExitCodes.Configuration);
        }

        if (options.Region is not null && queue.Region is not null && !string.Equals(options.Region, queue.Region, StringComparison.Ordinal))
        {
            throw new StartupException(
                $"The queue is in {queue.Region}, but {AwsOptions.Section}:{nameof(AwsOptions.Region)} is {options.Region}: signatures would be refused. "
                    + "Remove the region or correct the queue.",
                ExitCodes.Configuration);
        }

        string region = AwsRegion.Resolve(options, queue.Region, environment);
        bool callsUrlHost = queue.Url is not null && SqsHost.Parse(queue.Url.IdnHost) is { IsLegacy: false };
        if (!callsUrlHost && AwsEndpoint.FindVariant() is { } variant)
        {
            throw new StartupException(
                $"{variant} is true, which the SQS source does not support: name the queue by its URL at that endpoint, or set AWS_ENDPOINT_URL_SQS to it.",
                ExitCodes.Configuration);
        }

        string host = callsUrlHost ? queue.Url!.IdnHost : $"sqs.{region}.{AwsRegion.DomainOf(region)}";
        return new AwsEndpoint(new Uri($"https://{host}/"), region, IsCustom: false);
    }
}

/// <summary>An SQS hostname of AWS. Source: "Amazon SQS endpoints and quotas", AWS general reference.</summary>
/// <param name="Region">The region it serves.</param>
/// <param name="IsLegacy">True for the names from before 2012 (<c>queue.amazonaws.com</c>), which only appear in old queue URLs; requests go to the region's
/// endpoint.</param>
internal sealed record SqsHost(string Region, bool IsLegacy)
{
    /// <summary>Null when the host is not an SQS host of AWS.</summary>
    public static SqsHost? Parse(string host)
    {
        string[] labels = host.ToLowerInvariant().Split('.');
        return labels switch
        {
            ["queue", "amazonaws", "com"] => new SqsHost("us-east-1", IsLegacy: true),
            [var region, "queue", .. var domain] when IsOf(region, domain) => new SqsHost(region, IsLegacy: true),
            ["sqs" or "sqs-fips", var region, .. var domain] when IsOf(region, domain) => new SqsHost(region, IsLegacy: false),
            [_, "sqs", var region, "vpce", .. var domain] when IsOf(region, domain) => new SqsHost(region, IsLegacy: false),
            _ => null,
        };
    }

    private static bool IsOf(string region, string[] domain) =>
        Aws.AwsRegion.IsWellFormed(region) && (domain is ["api", "aws"] || string.Join('.', domain) == Aws.AwsRegion.DomainOf(region));
}
