namespace Messaging.Publishing;

/// <summary>A message to send to a source from outside.</summary>
/// <param name="Id">Its id; the source may take it as a header. Text from outside in a redrive: it may hold any character.</param>
/// <param name="Body">Its bytes; may be empty.</param>
public sealed record OutgoingMessage(string Id, ReadOnlyMemory<byte> Body);

/// <summary>What became of a publish.</summary>
/// <param name="Sent">Messages taken.</param>
/// <param name="FirstError">Why the first that was not taken was not; null when all were.</param>
public readonly record struct PublishResult(int Sent, string? FirstError);
