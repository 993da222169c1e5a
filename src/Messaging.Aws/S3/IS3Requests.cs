using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Aws.S3;

/// <summary>
/// The requests that the sink makes, sent by a client of S3. Each ends within its own time, and its outcome is a value. The client
/// cures a wrong clock and expired keys, once each; the sink decides on attempts and waits. Threads: any number concurrently.
/// </summary>
internal interface IS3Requests : IDisposable
{
    /// <summary>
    /// Puts the object; if configured, only when the key does not exist. Key (UTF-8, 1 to 1,024 bytes) and body are borrowed until the call ends.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <param name="body">The bytes.</param>
    /// <param name="properties">All metadata and tags of the object, as S3 takes them; null for the configured ones.</param>
    /// <param name="limit">The time of the request.</param>
    /// <param name="cancellationToken">Cancels it.</param>
    /// <exception cref="OperationCanceledException">Only for <paramref name="cancellationToken"/>.</exception>
    ValueTask<S3Fault> PutAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, ObjectProperties? properties, TimeSpan limit, CancellationToken cancellationToken);

    /// <summary>Compares the object with <paramref name="body"/>: by length and MD5 first, byte by byte when the ETag is not the MD5.</summary>
    /// <returns>The fault; without one, whether the bytes are the same.</returns>
    ValueTask<(S3Fault Fault, string Operation, bool Same)> CompareAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken cancellationToken);

    /// <summary>Lists one key of the bucket: the cheapest request whose refusal states the cause.</summary>
    /// <exception cref="Aws.AwsServiceException">There are no credentials; the message tells how to configure them.</exception>
    ValueTask<S3Fault> ListAsync(TimeSpan limit, CancellationToken cancellationToken);
}
