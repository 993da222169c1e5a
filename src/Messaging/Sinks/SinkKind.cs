namespace Messaging.Sinks;

/// <summary>The shape in which results leave. A route's handler and sink must agree on it.</summary>
public enum SinkKind
{
    /// <summary>A key and bytes, by <see cref="IObjectSink"/>.</summary>
    Objects = 0,

    /// <summary>Many JSON documents a message, by <see cref="IDocumentSink"/>.</summary>
    Documents,

    /// <summary>Nothing: a route whose handler has results of its own, or none, has no sink.</summary>
    None,
}
