using Messaging.Aws.S3;
using Messaging.CloudFront.Events;

namespace Messaging.CloudFront.Objects;

/// <summary>The logs in S3.</summary>
internal sealed class S3LogObjects(S3ObjectReader reader) : ILogObjects
{
    public ValueTask<S3ObjectContent> OpenAsync(LogObject wanted, TimeSpan limit, CancellationToken cancellationToken) =>
        reader.OpenAsync(wanted.Bucket, wanted.Key, wanted.VersionId, wanted.ETag, limit, cancellationToken);

    public void Dispose() => reader.Dispose();
}
