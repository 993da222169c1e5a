
namespace Messaging.Aws.S3.Sink;

/// <summary>
/// What a client of S3 does for the sink: one request each, ended by its own time whatever the store does; what it ended in is a
/// value. Attempts, waits and decisions are the sink's. Threads: any number at once.
/// </summary>
internal interface IS3Requests : IDisposable
{
    /// <summary>Puts the object, on the condition that there is none where that is configured.</summary>
    /// <param name="key">UTF-8, 1 to 1,024 bytes. A borrow until the call ends, as <paramref name="body"/> is.</param>
    /// <param name="body">May be empty.</param>
    /// <param name="limit">The most the request may take.</param>
    /// <param name="cancellationToken">The caller's.</param>
    /// <exception cref="OperationCanceledException">Only of <paramref name="cancellationToken"/>.</exception>
    ValueTask<S3Fault> PutAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken cancellationToken);

    /// <summary>Compares the object with <paramref name="body"/>: by length and MD5 first, byte by byte where the ETag is not the MD5.</summary>
    /// <returns>The fault, and where there is none whether the bytes are the same.</returns>
    ValueTask<(S3Fault Fault, string Operation, bool Same)> CompareAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken cancellationToken);

    /// <summary>Asks for one key of the bucket: the cheapest request whose refusal says why.</summary>
    /// <exception cref="Aws.AwsServiceException">There are no credentials; says how to give them.</exception>
    ValueTask<S3Fault> ListAsync(TimeSpan limit, CancellationToken cancellationToken);

    /// <summary>Fetches new credentials after a request ended in <see cref="S3FaultKind.ExpiredCredentials"/>; false when there are no others.</summary>
    ValueTask<bool> RefreshCredentialsAsync(S3Fault fault, TimeSpan limit, CancellationToken cancellationToken);
}
