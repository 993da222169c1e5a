using Microsoft.Extensions.Logging;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Unwrapping;

/// <summary>What an envelope of a route does by its settings, and the services for the messages that it splits.</summary>
/// <param name="Envelope">Its name.</param>
/// <param name="MaxBytes">The largest content.</param>
/// <param name="ElementConcurrency">How many messages out of one are processed concurrently.</param>
/// <param name="Options">The section <c>Unwrapping</c> of the route.</param>
/// <param name="Services">The services of the route.</param>
internal sealed record UnwrapRules(string Envelope, int MaxBytes, int ElementConcurrency, UnwrappingOptions Options, HandlerServices Services)
{
    public bool StoresWhole => Options.Store == StoredPart.Whole;

    public bool PassesUnrecognized => Options.Unrecognized == UnrecognizedRule.Pass;

    public int MaxElements => Options.MaxElements;

    /// <summary>The size for pools.</summary>
    public int Concurrency => Math.Max(1, Services.Concurrency);

    /// <summary>Decides about a message out of several that no part decided.</summary>
    public RecoverabilityPolicy Policy { get; } = new(Services.Recoverability);

    public ILogger Logger { get; } = Services.Loggers.CreateLogger($"Quayside.Messaging.Routes.{Services.Route}");

    /// <summary>Bounds the log lines about dead letters.</summary>
    public LogThrottles<string> DeadLetterLog { get; } = new(Services.Time, HandlerReports.Interval);
}
