using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.Http.Web.Api;

/// <summary>Changes a log level for a time. Threads: any.</summary>
internal sealed partial class LogLevelEndpoints(LogLevels levels, ILoggerFactory loggers, HttpAnswers answers)
{
    private const int MaxRequestBytes = 4 << 10;
    private const int MaxMinutes = 60;

    // No higher one: a request over the network must not silence errors or the audit log.
    private static readonly LogLevel[] Allowed = [LogLevel.Trace, LogLevel.Debug, LogLevel.Information];

    private static readonly HttpRefusal Malformed = new(
        StatusCodes.Status400BadRequest, "malformed-request", "Send JSON such as {\"category\":\"Quayside.Messaging.Http\",\"level\":\"Debug\",\"minutes\":10}, with Content-Type: application/json. The category is the beginning of a logger's name, level is Trace, Debug or Information, and minutes are 1 to 60, or 0 to end the change now.");

    private static readonly HttpRefusal TooMany = new(
        StatusCodes.Status409Conflict, "too-many-log-levels", $"{LogLevels.MaxChanges} categories are changed already; end one with \"minutes\":0. GET /api/v1/stats lists them.");

    private static readonly HttpRefusal NoEffect = new(
        StatusCodes.Status409Conflict, "no-effect", "The change has no effect: this program's loggers do not follow the filter of Microsoft.Extensions.Logging, or have no provider. Change the level where they are configured.");

    private readonly ILogger _logger = loggers.CreateLogger<LogLevelEndpoints>();

    /// <summary><c>POST /api/v1/log-level</c>.</summary>
    public async Task ChangeAsync(HttpContext context)
    {
        if (await ApiJson.TryReadAsync(context, ApiJson.Default.LogLevelOrder, MaxRequestBytes) is not { Category: { } category, Minutes: >= 0 and <= MaxMinutes } order
            || !Category.IsMatch(category)
            || (order.Minutes > 0 && !Array.Exists(Allowed, level => IsNamed(level, order.Level))))
        {
            await answers.RefuseAsync(context, Malformed);
            return;
        }

        if (order.Minutes == 0)
        {
            ChangeLog.Describe(context, $"log {category} as configured");
            levels.End(category);
        }
        else
        {
            LogLevel level = Array.Find(Allowed, level => IsNamed(level, order.Level));
            ChangeLog.Describe(context, $"log {category} from {level} on for {order.Minutes} min");
            if (levels.Set(category, level, TimeSpan.FromMinutes(order.Minutes), () => WebLog.LogLevelEnded(_logger, category)) is null)
            {
                await answers.RefuseAsync(context, TooMany);
                return;
            }

            if (!loggers.CreateLogger(category).IsEnabled(level))
            {
                levels.End(category);
                await answers.RefuseAsync(context, NoEffect);
                return;
            }
        }

        await ApiJson.SendAsync(context, new LogLevelsState(levels.Current), ApiJson.Readable.LogLevelsState);
    }

    private static bool IsNamed(LogLevel level, string? name) => string.Equals(level.ToString(), name, StringComparison.OrdinalIgnoreCase);

    // Default is no category: as in a configuration it would mean all, which is too much.
    [GeneratedRegex(@"^(?!default$)[A-Za-z0-9_.+]{1,200}\z", RegexOptions.IgnoreCase | RegexOptions.CultureInvariant)]
    private static partial Regex Category { get; }
}

/// <summary>The answer: all changes that last.</summary>
internal sealed record LogLevelsState(IReadOnlyList<LogLevelState> LogLevels);
