namespace Messaging.Aws.Sqs.Wire;

/// <summary>What a host name of AWS's SQS says. Source: "Amazon SQS endpoints and quotas", AWS general reference.</summary>
/// <param name="Region">The region it serves.</param>
/// <param name="IsLegacy">True for the names of before 2012 (<c>queue.amazonaws.com</c>), which only appear in old queue URLs; requests go to the region's endpoint.</param>
internal sealed record SqsHost(string Region, bool IsLegacy)
{
    /// <summary>Null when the host is not one of SQS at AWS.</summary>
    public static SqsHost? Parse(string host)
    {
        string[] labels = host.ToLowerInvariant().Split('.');
        int end = labels switch
        {
            [.., "amazonaws", "com"] => labels.Length - 2,
            [.., "amazonaws", "com", "cn"] => labels.Length - 3,
            [.., "api", "aws"] => labels.Length - 2,
            _ => 0,
        };
        SqsHost? found = labels[..end] switch
        {
            ["queue"] => new SqsHost("us-east-1", IsLegacy: true),
            [var region, "queue"] => new SqsHost(region, IsLegacy: true),
            ["sqs" or "sqs-fips", var region] => new SqsHost(region, IsLegacy: false),
            [_, "sqs", var region, "vpce"] => new SqsHost(region, IsLegacy: false),
            _ => null,
        };
        return found is not null && Aws.AwsRegion.IsWellFormed(found.Region) ? found : null;
    }
}
