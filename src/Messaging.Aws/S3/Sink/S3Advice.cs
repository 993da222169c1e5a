
namespace Messaging.Aws.S3.Sink;

/// <summary>Tells an operator what a refusal means and what to do.</summary>
internal static class S3Advice
{
    /// <summary>One sentence for a refusal; at most 256 characters with <see cref="S3Fault.Describe"/> before it.</summary>
    public static string For(in S3Fault fault, string operation, string bucket) => fault.Code switch
    {
        "CredentialsUnavailable" => "There are no credentials: set Aws:AccessKeyId and Aws:SecretAccessKey, Aws:Profile, or run with a role.",
        "NoSuchBucket" or "NotFound" => $"The bucket '{bucket}' does not exist: create it or set Sinks:S3:Bucket.",
        "InvalidAccessKeyId" or "SignatureDoesNotMatch" or "InvalidToken" => "The credentials are refused: check access key, secret and session token.",
        "ExpiredToken" or "TokenRefreshRequired" => "The credentials have expired and there are no others: renew them.",
        "AccessDenied" or "Forbidden" or "AllAccessDisabled" => $"Grant {PermissionFor(operation)} on the bucket '{bucket}'.",
        _ when fault.IsElsewhere =>
            $"The bucket '{bucket}' is in {(fault.Region is null ? "another region" : $"region {fault.Region}")}: set Sinks:S3:Region.",
        "NotImplemented" or "XNotImplemented" => "The store does not support the request: set Sinks:S3:Conditional=false to store without If-None-Match.",
        "RequestTimeTooSkewed" or "RequestExpired" or "RequestInTheFuture" => "This machine's clock is wrong and could not be corrected: set it.",
        _ => $"Check the settings of Sinks:S3 and the bucket '{bucket}'.",
    };

    private static string PermissionFor(string operation) => operation switch
    {
        S3Operations.Put => "s3:PutObject (and kms:GenerateDataKey on a KMS key)",
        S3Operations.List => "s3:ListBucket",

        // Without ListBucket a missing object is reported as denied.
        _ => "s3:GetObject and s3:ListBucket, to compare duplicates (and kms:Decrypt on a KMS key)",
    };
}
