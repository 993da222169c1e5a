using System.Collections.ObjectModel;
using System.Net.Http.Headers;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Aws.S3;

/// <content>What every object gets beside its bytes.</content>
internal sealed partial class S3SinkOptions
{
    // The names that S3 documents. Of storage classes only the alphabet is checked, because other stores have their own.
    private static readonly string[] Encryptions = ["AES256", "aws:kms", "aws:kms:dsse"];

    // https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html#canned-acl, without the one that only a bucket can have.
    private static readonly string[] Acls =
        ["private", "public-read", "public-read-write", "authenticated-read", "aws-exec-read", "bucket-owner-read", "bucket-owner-full-control"];

    [Setting("Content type of the objects; default `application/json`, for bundles `application/gzip`", Advanced = true)]
    public string? ContentType { get; init; }

    [Setting("Server-side encryption: AES256, aws:kms or aws:kms:dsse; default: the bucket's")]
    public string? ServerSideEncryption { get; init; }

    [Setting("Key of aws:kms encryption; default: the account's own for S3")]
    public string? KmsKeyId { get; init; }

    [Setting("Storage class such as INTELLIGENT_TIERING; default STANDARD")]
    public string? StorageClass { get; init; }

    [Setting("Canned ACL such as bucket-owner-full-control, for a bucket that still uses ACLs; default none", Advanced = true)]
    public string? Acl { get; init; }

    [Setting("Content encoding of the objects, such as gzip, for bodies that are stored compressed; default none", Advanced = true)]
    public string? ContentEncoding { get; init; }

    [Setting("Account that must own the bucket, such as 123456789012; S3 refuses every request to a bucket of another one", Advanced = true)]
    public string? ExpectedBucketOwner { get; init; }

    [Setting("User metadata of every object, by its name without x-amz-meta-; at most 2,048 bytes of names and values", Advanced = true)]
    public IReadOnlyDictionary<string, string> Metadata { get; init; } = ReadOnlyDictionary<string, string>.Empty;

    [Setting("Tags of every object, by their keys; at most 10", Advanced = true)]
    public IReadOnlyDictionary<string, string> Tags { get; init; } = ReadOnlyDictionary<string, string>.Empty;

    private void ValidateObject(SettingsCheck check)
    {
        if (ContentType is not null && !MediaTypeHeaderValue.TryParse(ContentType, out _))
        {
            check.Fail(nameof(ContentType), "must be a media type such as application/json.", "No object could be stored.");
        }

        if (ServerSideEncryption is not null && !Encryptions.Contains(ServerSideEncryption, StringComparer.Ordinal))
        {
            check.Fail(nameof(ServerSideEncryption), $"must be one of {string.Join(", ", Encryptions)}.", "No object could be stored.");
        }

        if (KmsKeyId is not null && ServerSideEncryption is null or "AES256")
        {
            check.Fail(nameof(KmsKeyId), "needs ServerSideEncryption aws:kms or aws:kms:dsse.", "The key would not be used.", nameof(ServerSideEncryption));
        }

        if (KmsKeyId is not null
            && KmsKeyId.StartsWith("arn:", StringComparison.Ordinal)
            && KmsKeyId.Split(':') is not ["arn", _, "kms", _, _, ['k', 'e', 'y', '/', ..] or ['a', 'l', 'i', 'a', 's', '/', ..]])
        {
            check.Fail(
                nameof(KmsKeyId), "must be a key's id, its alias (alias/name), or the ARN of one (arn:aws:kms:eu-west-1:123456789012:key/id).",
                "No object could be stored.");
        }

        if (StorageClass is not null && !StorageClass.All(c => char.IsAsciiLetterUpper(c) || char.IsAsciiDigit(c) || c == '_'))
        {
            check.Fail(nameof(StorageClass), "must be a storage class such as STANDARD_IA.", "No object could be stored.");
        }

        if (Acl is not null && !Acls.Contains(Acl, StringComparer.Ordinal))
        {
            check.Fail(nameof(Acl), $"must be one of {string.Join(", ", Acls)}.", "No object could be stored.");
        }
        else if (Acl is "public-read" or "public-read-write" or "authenticated-read")
        {
            check.Warn(nameof(Acl), "makes every object readable outside the account.", "Messages would be public.");
        }

        if (ExpectedBucketOwner is not null && (ExpectedBucketOwner.Length != 12 || !ExpectedBucketOwner.All(char.IsAsciiDigit)))
        {
            check.Fail(nameof(ExpectedBucketOwner), "must be the 12 digits of an AWS account.", "Every request would be refused.");
        }

        if (ContentEncoding is not null && !ContentEncoding.All(c => c is >= ' ' and <= '~'))
        {
            check.Fail(nameof(ContentEncoding), "must be printable ASCII.", "No object could be stored.");
        }

        foreach (string problem in S3PropertyRules.FindProblems(Metadata, ObjectPropertyKind.Metadata))
        {
            check.Fail(nameof(Metadata), problem, "No object could be stored.");
        }

        foreach (string problem in S3PropertyRules.FindProblems(Tags, ObjectPropertyKind.Tag))
        {
            check.Fail(nameof(Tags), problem, "No object could be stored.");
        }
    }
}
