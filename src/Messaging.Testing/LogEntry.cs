using Microsoft.Extensions.Logging;

namespace Messaging.Testing;

/// <summary>One line of a <see cref="RecordingLog"/>.</summary>
/// <param name="Level">Its level.</param>
/// <param name="Id">The event.</param>
/// <param name="Text">The formatted line.</param>
public readonly record struct LogEntry(LogLevel Level, EventId Id, string Text);
