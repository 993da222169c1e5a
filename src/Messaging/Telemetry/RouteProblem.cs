namespace Quayside.Messaging.Telemetry;

/// <summary>What an operator must know about a route, as the part said that found it. Immutable.</summary>
internal sealed record RouteProblem
{
    /// <summary>The advice about what the worker tries again by itself.</summary>
    public const string Fix = "Fix what it names; the worker continues by itself, and a restart does not help.";

    /// <summary>The id of the log event about it.</summary>
    public required int Event { get; init; }

    /// <summary>Whether messages suffer from it now.</summary>
    public required ProblemSeverity Severity { get; init; }

    /// <summary>What is wrong.</summary>
    public required string Text { get; init; }

    /// <summary>What to do.</summary>
    public required string Advice { get; init; }

    /// <summary>The setting or the command for that; null without one.</summary>
    public string? Setting { get; init; }

    /// <summary>When it began, or was first seen; null while that is unknown.</summary>
    public DateTimeOffset? Since { get; init; }

    public static RouteProblem? Failure(int eventId, string? text, string advice, string? setting, DateTimeOffset? since = null) =>
        text is null ? null : new() { Event = eventId, Severity = ProblemSeverity.Failure, Text = text, Advice = advice, Setting = setting, Since = since };

    public static RouteProblem? Warning(int eventId, string? text, string advice, string? setting, DateTimeOffset? since = null) =>
        Failure(eventId, text, advice, setting, since) is { } problem ? problem with { Severity = ProblemSeverity.Warning } : null;
}

/// <summary>How bad a problem is.</summary>
internal enum ProblemSeverity
{
    /// <summary>Nothing is known: a defect.</summary>
    Undecided = 0,

    /// <summary>An operator should act, and messages still pass, or wait where an operator wanted it.</summary>
    Warning,

    /// <summary>Messages do not arrive, are not stored, or were lost.</summary>
    Failure,
}
