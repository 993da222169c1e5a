namespace Messaging.Sinks;

/// <summary>Where results leave; <see cref="IObjectSink"/> and <see cref="IDocumentSink"/> say in which shape. Threads: any number at once.</summary>
public interface ISink : IAsyncDisposable
{
    /// <summary>Its name in logs and metrics, such as <c>s3</c>.</summary>
    string Name { get; }

    /// <summary>Fails fast when the sink can never work as configured: no such bucket, access denied, a folder that cannot be written.</summary>
    /// <exception cref="Hosting.StartupException">Says what is wrong, where, and what to do.</exception>
    /// <remarks>
    /// A sink that is merely unreachable for now passes, with a logged warning and a <see cref="Problem"/>; the check is then called
    /// again while messages may be stored, never twice at once, and logs nothing that it has logged before.
    /// </remarks>
    Task CheckAsync(CancellationToken cancellationToken);

    /// <summary>Why the last <see cref="CheckAsync"/> could not reach the sink, as a sentence; null where it was answered.</summary>
    string? Problem => null;

    /// <summary>The worker stops: a sink that gathers objects sends what it has at once, and from now on without waiting. May be called again; must not block.</summary>
    void StopWaiting()
    {
    }
}
