using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.Console.Api;

/// <summary>Log messages of the console: event ids 1216 to 1229; <see cref="RedriveEndpoints"/> has 1213 and 1214.</summary>
internal static partial class ConsoleLog
{
    [LoggerMessage(1218, LogLevel.Information, "Over the API, from {Address} with the token: {What}: {Result}")]
    public static partial void Changed(ILogger logger, string address, string what, string result);

    [LoggerMessage(
        1220, LogLevel.Warning,
        "Over the API, from {Address}: {What} was denied ({Status} {Reason}). If no program of yours sends this, restrict who reaches the worker")]
    public static partial void Denied(ILogger logger, string address, string what, int status, string reason);
}
