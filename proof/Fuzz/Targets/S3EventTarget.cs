using System.Text;
using Quayside.Messaging.CloudFront.Events;

namespace Proof.Fuzz.Targets;

/// <summary>S3 event notifications: for any input, the parser returns only objects of allowed buckets under plain keys.</summary>
internal sealed class S3EventTarget : FuzzTarget
{
    private readonly S3EventReader _reader = new(["logs"], "a");

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "{\"Records\":[{\"eventName\":\"ObjectCreated:Put\",\"s3\":{\"bucket\":{\"name\":\"logs\"},\"object\":{\"key\":\"a+b%2Fc.gz\",\"versionId\":\"v\","
                + "\"eTag\":\"e\"}}}]}",
            "{\"Type\":\"Notification\",\"Message\":\"{\\\"Records\\\":[{\\\"eventName\\\":\\\"ObjectCreated:Put\\\","
                + "\\\"s3\\\":{\\\"bucket\\\":{\\\"name\\\":\\\"logs\\\"},\\\"object\\\":{\\\"key\\\":\\\"k\\\"}}}]}\"}",
            "{\"detail-type\":\"Object "
                + "Created\",\"source\":\"aws.s3\",\"detail\":{\"bucket\":{\"name\":\"logs\"},\"object\":{\"key\":\"a+b\",\"version-id\":\"v\","
                + "\"etag\":\"e\"}}}",
            "{\"detail-type\":\"Object Deleted\",\"source\":\"aws.s3\"}", "{\"detail-type\":\"x\",\"source\":\"aws.ec2\"}",
            "{\"Records\":[1,{}]}", "{\"Event\":\"s3:TestEvent\"}", "{\"Records\":[{\"eventName\":\"ObjectRemoved:Delete\"}]}"),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
    [
        .. Texts.Json, .. Texts.Utf8(
            "\"Records\":[", "\"eventName\":\"s3:ObjectCreated:Put\",", "\"s3\":{", "\"bucket\":{\"name\":\"logs\"},", "\"bucket\":{\"name\":\"other\"},",
            "\"object\":{", "\"object\":{\"key\":\"\"},", "\"object\":{\"key\":\"a%zz\"},", "\"object\":{\"key\":\"a%2F..\"},", "\"object\":{\"key\":\"%ff\"},",
            "\"key\":\"", "\"a%41", "%2e%2e/", "/../", "%00", "%", "+", "\"detail-type\":\"Object Created\",\"source\":\"aws.s3\",", "\"detail\":{",
            "\"Message\":\"", "\\\"",
            new string('k', 1_100)),
    ];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        S3Event read = _reader.Read(input);
        FuzzException.ThrowUnless(read.Fault is null || read.Objects.Length == 0, "Objects beside a fault");
        foreach (LogObject log in read.Objects)
        {
            FuzzException.ThrowIfDifferent(log.Bucket, "logs", "bucket");
            FuzzException.ThrowIfDifferent(log.Key[0], 'a', "the first letter of the key");
            FuzzException.ThrowUnless(
                Encoding.UTF8.GetByteCount(log.Key) is > 0 and <= 1_024 && log.Key[0] != '/' && !log.Key.Contains('\0', StringComparison.Ordinal),
                $"key {log.Key}");
            FuzzException.ThrowUnless(!log.Key.Split('/').Any(segment => segment is "." or ".."), $"key {log.Key}");
        }

        return HashCode.Combine(read.Fault, read.Objects.Length, read.Ignored);
    }
}
