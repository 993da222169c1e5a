using Messaging.Aws.S3;
using Messaging.CloudFront.Events;

namespace Messaging.CloudFront.Objects;

/// <summary>Reads the objects that events name. Threads: any number at once.</summary>
internal interface ILogObjects : IDisposable
{
    /// <summary>Requests an object and waits for the beginning of the answer.</summary>
    /// <param name="wanted">The object; its version and ETag are conditions of the request.</param>
    /// <param name="limit">Time limit of the wait.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
    /// <returns>The object, or the fault. Throws only the <see cref="OperationCanceledException"/> of this token.</returns>
    ValueTask<S3ObjectContent> OpenAsync(LogObject wanted, TimeSpan limit, CancellationToken cancellationToken);
}
