using Messaging.Configuration;

namespace Messaging.Sinks;

/// <summary>Where a route stores its results: an <see cref="IObjectSink"/> or an <see cref="IDocumentSink"/>. Threads: any number concurrently.</summary>
public interface ISink : IAsyncDisposable
{
    /// <summary>Fails fast when the sink can never work as configured: no such bucket, access denied, a folder that cannot be written.</summary>
    /// <exception cref="StartupException">The sink can never work; the message names the cause, the place and the remedy.</exception>
    /// <remarks>
    /// A sink that is only unreachable passes, with a logged warning and a <see cref="Problem"/>. The check is then repeated while messages
    /// may be stored, never twice concurrently; it must not repeat its warning.
    /// </remarks>
    Task CheckAsync(CancellationToken cancellationToken);

    /// <summary>Why the last <see cref="CheckAsync"/> could not reach the sink, as a sentence; null if it did.</summary>
    string? Problem => null;

    /// <summary>The worker stops: a sink that gathers messages stores them immediately and, from here on, without waiting. May be called repeatedly; must not block.</summary>
    void StopWaiting()
    {
    }
}
