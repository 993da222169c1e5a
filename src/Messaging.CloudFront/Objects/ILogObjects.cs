using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.CloudFront.Events;

namespace Quayside.Messaging.CloudFront.Objects;

/// <summary>Reads the objects that events name. Threads: any number concurrently.</summary>
internal interface ILogObjects : IDisposable
{
    /// <summary>Requests an object and waits for the beginning of the answer.</summary>
    /// <param name="wanted">The object; its version and ETag are conditions of the request.</param>
    /// <param name="limit">Time limit of the wait.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
    /// <returns>The object, or the fault. Throws only the <see cref="OperationCanceledException"/> of this token.</returns>
    ValueTask<S3ObjectContent> OpenAsync(LogObject wanted, TimeSpan limit, CancellationToken cancellationToken);
}

/// <summary>The logs in S3.</summary>
internal sealed class S3LogObjects(S3ObjectReader reader) : ILogObjects
{
    public ValueTask<S3ObjectContent> OpenAsync(LogObject wanted, TimeSpan limit, CancellationToken cancellationToken) =>
        reader.OpenAsync(wanted.Bucket, wanted.Key, wanted.VersionId, wanted.ETag, limit, cancellationToken);

    public void Dispose() => reader.Dispose();
}
