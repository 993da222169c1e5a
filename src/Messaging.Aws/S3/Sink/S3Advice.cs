
namespace Quayside.Messaging.Aws.S3.Sink;

/// <summary>Tells an operator what a refusal means and what to do.</summary>
internal static class S3Advice
{
    /// <summary>One sentence for a refusal; at most 256 characters with <see cref="S3Fault.Describe"/> without a detail before it.</summary>
    /// <param name="fault">The refusal.</param>
    /// <param name="operation">What was refused.</param>
    /// <param name="bucket">The bucket.</param>
    /// <param name="further">The permissions that the PUT needs beside s3:PutObject; see <see cref="PermissionsFor"/>.</param>
    public static string For(in S3Fault fault, string operation, string bucket, string further = "") => fault.Code switch
    {
        "CredentialsUnavailable" => "There are no credentials: set Aws:AccessKeyId and Aws:SecretAccessKey, Aws:Profile, or run with a role.",
        "NoSuchBucket" or "NotFound" => $"The bucket '{bucket}' does not exist: create it or set Sinks:S3:Bucket.",
        "InvalidAccessKeyId" or "SignatureDoesNotMatch" or "InvalidToken" => "The credentials are refused: check access key, secret and session token.",
        "ExpiredToken" or "TokenRefreshRequired" => "The credentials have expired and there are no others: renew them.",
        _ when fault.Code.StartsWith("Kms", StringComparison.Ordinal) => "Enable the KMS key of Sinks:S3:KmsKeyId or of the bucket, or name another one.",
        "AccessDenied" when Says(fault, "kms:") => $"Allow {KeyPermissionFor(operation)} in the key's policy and to the worker's role.",
        "AccessDenied" or "Forbidden" or "AllAccessDisabled" => $"Grant {PermissionFor(operation, further)} on the bucket '{bucket}'.",
        "AccessControlListNotSupported" => $"The bucket '{bucket}' does not use ACLs: remove Sinks:S3:Acl.",
        _ when Says(fault, "checksum") || Says(fault, "Content-MD5") => Says(fault, "required") || Says(fault, "missing")
            ? "The store asks for a checksum: set Sinks:S3:RequestChecksumCalculation=WHEN_SUPPORTED."
            : "The store refuses the checksum: set Sinks:S3:RequestChecksumCalculation=WHEN_REQUIRED.",
        _ when fault.Code == "SecondLevelDomainForbidden" || Says(fault, "virtual host") =>
            "The store takes the bucket in the hostname only: set Sinks:S3:ForcePathStyle=false.",
        _ when Says(fault, "If-None-Match") => "The store does not support If-None-Match: set Sinks:S3:Conditional=false.",
        _ when fault.IsWrongRegion =>
            $"The bucket '{bucket}' is in {(fault.Region is null ? "another region" : $"region {fault.Region}")}: set Sinks:S3:Region.",
        "NotImplemented" or "XNotImplemented" =>
            "The store does not support the request: set Sinks:S3:Conditional=false to store without If-None-Match, and remove what else it does not support.",
        "RequestTimeTooSkewed" or "RequestExpired" or "RequestInTheFuture" => "This machine's clock is wrong and could not be corrected: set it.",
        _ => $"Check the settings of Sinks:S3 and the bucket '{bucket}'.",
    };

    /// <summary>What to try when the refusal may lie in the form of the direct client's request; empty otherwise.</summary>
    public static string ForClient(in S3Fault fault, S3ClientChoice? client) => client is { IsDirect: true } && fault.MayBeProtocol
        ? " If nothing of that helps, the store may refuse the direct client: set Sinks:S3:Client=Sdk."
        : "";

    private static bool Says(in S3Fault fault, string text) => fault.Detail?.Contains(text, StringComparison.OrdinalIgnoreCase) == true;

    /// <summary>The permissions that a PUT needs beside s3:PutObject, each with a comma and a blank before it.</summary>
    /// <param name="options">The settings of the objects.</param>
    /// <param name="hasTags">True when the object has tags.</param>
    public static string PermissionsFor(S3SinkOptions options, bool hasTags) =>
        $"{(hasTags ? ", s3:PutObjectTagging" : "")}{(options.Acl is null ? "" : ", s3:PutObjectAcl")}";

    private static string PermissionFor(string operation, string further) => operation switch
    {
        S3Operations.Put => $"s3:PutObject{further} (and {KeyPermissionFor(operation)} on a KMS key)",
        S3Operations.List => "s3:ListBucket",

        // Without ListBucket a missing object is reported as denied.
        _ => $"s3:GetObject and s3:ListBucket, to compare duplicates (and {KeyPermissionFor(operation)} on a KMS key)",
    };

    private static string KeyPermissionFor(string operation) => operation == S3Operations.Put ? "kms:GenerateDataKey" : "kms:Decrypt";
}
