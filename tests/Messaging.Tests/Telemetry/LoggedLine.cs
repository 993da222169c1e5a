using Microsoft.Extensions.Logging;

namespace Messaging.Tests.Telemetry;

internal sealed record LoggedLine(int EventId, LogLevel Level, string Text, Exception? Exception);
