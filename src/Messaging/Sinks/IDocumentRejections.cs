namespace Messaging.Sinks;

/// <summary>Keeps the documents that a store will never take. Threads: one call at a time a writer.</summary>
internal interface IDocumentRejections
{
    /// <summary>Keeps one document durably. What it throws fails the whole message, which then comes again.</summary>
    ValueTask RejectAsync(DocumentRejection rejection, CancellationToken cancellationToken);
}
