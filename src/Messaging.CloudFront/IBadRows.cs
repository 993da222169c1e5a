using Messaging.CloudFront.Documents;

namespace Messaging.CloudFront;

/// <summary>Sets rows aside that cannot become documents.</summary>
internal interface IBadRows
{
    /// <summary>Keeps a row durably.</summary>
    /// <exception cref="IOException">It could not be kept; the log must not count as done.</exception>
    ValueTask KeepAsync(BadRow row, CancellationToken cancellationToken);
}
