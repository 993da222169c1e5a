using Microsoft.Extensions.Logging;

namespace Messaging.Testing;

/// <summary>A message found among the dead letters.</summary>
/// <param name="Id">The source's id of the message.</param>
/// <param name="Reason">The reason code, such as <c>malformed-json</c>.</param>
/// <param name="Description">What happened, for people.</param>
/// <param name="Body">The body, unchanged.</param>
public sealed record DeadLetteredMessage(string Id, string Reason, string Description, byte[] Body);

/// <summary>A document that the store refused, as <see cref="RecordedRejections"/> keeps it.</summary>
/// <param name="Index">The document's index in its message, from 0, in the order in which documents were opened.</param>
/// <param name="Json">The document.</param>
/// <param name="Status">The store's status, such as 400.</param>
/// <param name="Type">The store's name for the error; may be empty.</param>
/// <param name="Reason">The store's explanation; may be empty.</param>
public readonly record struct RecordedRejection(long Index, string Json, int Status, string Type, string Reason);

/// <summary>One line of a <see cref="RecordingLog"/>.</summary>
/// <param name="Level">Its level.</param>
/// <param name="Id">The event.</param>
/// <param name="Text">The formatted line.</param>
/// <param name="Exception">The exception that was logged with it; null without one.</param>
public readonly record struct LogEntry(LogLevel Level, EventId Id, string Text, Exception? Exception = null);
