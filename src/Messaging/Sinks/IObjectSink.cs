namespace Messaging.Sinks;

/// <summary>
/// A sink for objects. Storing is idempotent: the same key with the same bytes may be stored any number of times. A sink never replaces an
/// object that holds other bytes: it reports <see cref="SinkStatus.Collision"/> (docs/explanation/settlement.md).
/// Threads: any number concurrently.
/// </summary>
public interface IObjectSink : ISink
{
    /// <summary>Stores one object durably, within the sink's own total deadline.</summary>
    /// <param name="key">The object's key: UTF-8, 1 to 1,024 bytes, already validated. Borrowed until the task completes.</param>
    /// <param name="body">The bytes to store, unchanged; may be empty. Borrowed until the task completes.</param>
    /// <param name="cancellationToken">Cancels the attempt; an object that is stored already stays.</param>
    /// <returns>The outcome; expected failures are values. Throws only <see cref="OperationCanceledException"/> of this token.</returns>
    ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken);

    /// <summary>The location of the object, for reports: a path or <c>s3://bucket/key</c>.</summary>
    string Locate(string key);
}
