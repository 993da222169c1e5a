using Microsoft.Extensions.Logging;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.CloudFront.Objects;

/// <summary>Checks the log buckets at start by listing one key of each.</summary>
/// <param name="buckets">The buckets.</param>
/// <param name="list">Lists one key of a bucket within a time limit.</param>
/// <param name="logger">Warns of a bucket that does not answer.</param>
internal sealed partial class LogBucketCheck(
    IReadOnlyList<string> buckets, Func<string, TimeSpan, CancellationToken, ValueTask<S3Fault>> list, ILogger logger)
{
    // Two requests fit the route's limit of 10 s for a check.
    private static readonly TimeSpan ListTimeout = TimeSpan.FromSeconds(4);

    /// <exception cref="StartupException">A bucket cannot be read with this configuration.</exception>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        foreach (string bucket in buckets)
        {
            S3Fault fault = await list(bucket, ListTimeout, cancellationToken);
            if (fault.Kind is AwsErrorKind.Transient or AwsErrorKind.Throttled)
            {
                fault = await list(bucket, ListTimeout, cancellationToken);
            }

            cancellationToken.ThrowIfCancellationRequested();
            Judge(bucket, fault);
        }
    }

    private void Judge(string bucket, in S3Fault fault)
    {
        string failure = fault.Describe(S3Operations.List);
        switch (fault.Kind, fault.Code)
        {
            case (AwsErrorKind.None, _):
                return;

            case (_, "NoSuchBucket" or "NotFound"):
                throw new StartupException($"{failure}. The log bucket '{bucket}' does not exist: create it or correct Handlers:CloudFront:Buckets.");

            case (AwsErrorKind.Refused, _) when fault.IsWrongRegion:
                throw new StartupException(
                    $"{failure}. The log bucket '{bucket}' is in {(fault.Region is null ? "another region" : $"region {fault.Region}")}: set Aws:Region.",
                    ExitCodes.Configuration);

            case (AwsErrorKind.ClockSkew, _):
                throw new StartupException($"{failure}. The clock of this machine is wrong, and the worker could not correct for it.", ExitCodes.NoPermission);

            case (AwsErrorKind.Refused or AwsErrorKind.ExpiredCredentials, _):
                throw new StartupException(
                    $"{failure}. The log bucket '{bucket}' cannot be read: check the credentials, and grant s3:ListBucket on it and s3:GetObject on its "
                        + "objects (deploy/iam/cloudfront-policy.json).",
                    ExitCodes.NoPermission);

            default:
                LogUnanswered(bucket, failure);
                return;
        }
    }

    [LoggerMessage(6003, LogLevel.Warning, "Log bucket {Bucket} is unreachable ({Failure}); the worker still tries to read the log of each event")]
    private partial void LogUnanswered(string bucket, string failure);
}
