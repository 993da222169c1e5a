using Messaging.Aws.S3;
using Messaging.CloudFront.Events;

namespace Messaging.CloudFront.Objects;

/// <summary>Where the objects that events tell of are read. Threads: any number at once.</summary>
internal interface ILogObjects : IDisposable
{
    /// <summary>Asks for an object and waits for the beginning of the answer.</summary>
    /// <param name="wanted">The object; its version and ETag are conditions.</param>
    /// <param name="limit">Time until then.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
    /// <returns>The object, or why there is none. Throws only <see cref="OperationCanceledException"/> of this token.</returns>
    ValueTask<S3ObjectContent> OpenAsync(LogObject wanted, TimeSpan limit, CancellationToken cancellationToken);
}
