using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Sinks;

/// <summary>Where a route stores its results: an <see cref="IObjectSink"/> or an <see cref="IDocumentSink"/>. Threads: any number concurrently.</summary>
public interface ISink : IAsyncDisposable
{
    /// <summary>Fails fast when the sink can never work as configured: no such bucket, access denied, a folder that cannot be written.</summary>
    /// <exception cref="StartupException">The sink can never work; the message names the cause, the place and the remedy.</exception>
    /// <remarks>
    /// A sink that is only unreachable passes, with a logged warning and a <see cref="Problem"/>. The check is then repeated while messages
    /// may be stored, never twice concurrently; it must not repeat its warning. It is also repeated once per minute in which nothing is stored.
    /// </remarks>
    Task CheckAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Why the sink cannot be used, as a sentence: the last <see cref="CheckAsync"/> or store could not reach it, or what it finds itself. Null otherwise,
    /// and after an object was stored. Asked at any time by any thread; the route is not ready while there is one.
    /// </summary>
    string? Problem => null;

    /// <summary>
    /// The worker stops: a sink that gathers messages stores them immediately and, from here on, without waiting. May be called repeatedly; must not block.
    /// </summary>
    void StopWaiting()
    {
    }
}

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

    /// <summary>Stores one object with metadata and tags; otherwise as the method without them.</summary>
    /// <param name="key">As above.</param>
    /// <param name="body">As above.</param>
    /// <param name="properties">Not part of the comparison: an object that exists with the same bytes keeps its own.</param>
    /// <param name="cancellationToken">As above.</param>
    /// <returns>As above.</returns>
    /// <exception cref="NotSupportedException">There are properties, and the sink cannot keep any; nothing was stored. A sink that can implements this method,
    /// and its feature says so (<see cref="ISinkFeature.KeepsProperties"/>).</exception>
    ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, ObjectProperties properties, CancellationToken cancellationToken) =>
        properties.IsEmpty
            ? StoreAsync(key, body, cancellationToken)
            : throw new NotSupportedException(
                $"{GetType().Name} cannot keep metadata and tags of an object: use a sink that can, such as S3, or store the object without them.");

    /// <summary>The location of the object, for reports: a path or <c>s3://bucket/key</c>.</summary>
    string Locate(string key);
}

/// <summary>The outcome of one store of an <see cref="IObjectSink"/>.</summary>
/// <param name="Status">The status.</param>
/// <param name="Detail">Which call failed and how, as text of at most 256 characters; null on success.</param>
/// <param name="RetryAfter">Transient only: the minimum wait that the store asked for; zero without one.</param>
/// <param name="Exhausted">Transient only: true when the sink itself has retried, so that the caller must not retry in process.</param>
/// <param name="IsShared">True when several messages share this outcome and another of them reports it to the breaker.</param>
public readonly record struct SinkResult(SinkStatus Status, string? Detail = null, TimeSpan RetryAfter = default, bool Exhausted = false, bool IsShared = false)
{
    /// <summary>The object was stored by this call.</summary>
    public static SinkResult Stored => new(SinkStatus.Stored);

    /// <summary>The object existed with the same bytes.</summary>
    public static SinkResult AlreadyStored => new(SinkStatus.AlreadyStored);
}

/// <summary>The outcome of storing one object, or the documents of one message.</summary>
public enum SinkStatus
{
    /// <summary>No outcome: a defect of the sink. The message fails as if the sink had thrown; it never counts as stored.</summary>
    Undecided = 0,

    /// <summary>Stored durably by this call (or by an earlier attempt of it whose response was lost).</summary>
    Stored,

    /// <summary>The object existed with the same bytes: a duplicate. Counts as stored.</summary>
    AlreadyStored,

    /// <summary>The key holds other bytes. Nothing was changed; the message is dead-lettered as <c>key-collision</c>.</summary>
    Collision,

    /// <summary>Throttled, unreachable, timed out or disk full: a retry may succeed.</summary>
    Transient,

    /// <summary>The sink refuses the worker itself (access denied, no such bucket): an operator has to act.</summary>
    Refused,

    /// <summary>The sink will never accept this object (too large, key not allowed): poison.</summary>
    Rejected,
}
