using Microsoft.Extensions.Logging;

namespace Worker.Tests.Telemetry;

internal sealed record LoggedLine(int EventId, LogLevel Level, string Text, Exception? Exception);
