namespace Messaging.Sinks;

/// <summary>The form of stored results. A route's handler and sink must agree on it.</summary>
public enum SinkKind
{
    /// <summary>Bytes under a key, with <see cref="IObjectSink"/>.</summary>
    Objects = 0,

    /// <summary>Many JSON documents per message, with <see cref="IDocumentSink"/>.</summary>
    Documents,

    /// <summary>Nothing: the handler stores its results itself or has none, and its route has no sink.</summary>
    None,
}
