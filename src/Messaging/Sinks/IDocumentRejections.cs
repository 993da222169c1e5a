namespace Messaging.Sinks;

/// <summary>Keeps the documents that a store will never take; a handler implements it. Threads: one call at a time per writer.</summary>
public interface IDocumentRejections
{
    /// <summary>Keeps one document durably. An exception fails the whole message, which is then redelivered or dead-lettered like any other failure.</summary>
    ValueTask RejectAsync(DocumentRejection rejection, CancellationToken cancellationToken);
}
