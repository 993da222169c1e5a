namespace Messaging.Publishing;

/// <summary>A message to send to a source from outside.</summary>
/// <param name="Id">Its id; the source may take it as a header. Text from outside in a redrive: it may hold any character.</param>
/// <param name="Body">Its bytes; may be empty.</param>
public sealed record OutgoingMessage(string Id, ReadOnlyMemory<byte> Body);
