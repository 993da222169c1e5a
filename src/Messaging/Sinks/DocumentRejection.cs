namespace Messaging.Sinks;

/// <summary>One document that the store refused for what it is.</summary>
/// <param name="Index">Which of the message's documents, from 0 in the order they were opened.</param>
/// <param name="Json">The document as it was written. A borrow until the call ends.</param>
/// <param name="Status">The store's status, such as 400.</param>
/// <param name="Type">The store's name for the error, such as <c>mapper_parsing_exception</c>; at most 256 characters, may be empty.</param>
/// <param name="Reason">The store's words; at most 256 characters, may be empty.</param>
public readonly record struct DocumentRejection(long Index, ReadOnlyMemory<byte> Json, int Status, string Type, string Reason);
