namespace Messaging.Testing;

/// <summary>A document that the store refused, as <see cref="RecordedRejections"/> keeps it.</summary>
/// <param name="Index">Which of the message's documents, from 0 in the order in which they were opened.</param>
/// <param name="Json">The document.</param>
/// <param name="Status">The store's status, such as 400.</param>
/// <param name="Type">The store's name for the error; may be empty.</param>
/// <param name="Reason">The store's words; may be empty.</param>
public readonly record struct RecordedRejection(long Index, string Json, int Status, string Type, string Reason);
