using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sinks.Bundles;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Hosting;

/// <summary>A running route: its sources, each with its own intake, one pipeline, one breaker, and one sink if the handler needs it.</summary>
internal sealed partial class MessageRoute : IAsyncDisposable
{
    private readonly List<SourceRunner> _inlets = [];
    private readonly FailureRun _partFailures;
    private readonly RouteHealth? _health;
    private readonly ISink? _sink;
    private readonly IList<RouteCheck> _checks;
    private readonly IList<object> _owned;
    private readonly IList<Action> _stopping;
    private readonly IEnumerable<Func<string?>> _reports;

    // Null when no part of the route writes to it.
    private readonly IDeadLetterStore? _deadLetters;
    private readonly string _handlerName;
    private readonly string? _sinkName;
    private readonly int _slots;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly List<Task> _receiving = [];
    private readonly CancellationTokenSource _stopReceiving = new();
    private volatile bool _isStarted;
    private volatile RoutePause? _pause;

    public MessageRoute(RoutePlan plan, IServiceProvider services, IDeadLetterStore deadLetters, ILoggerFactory loggers, TimeProvider time)
    {
        Name = plan.Name;
        deadLetters = new RouteDeadLetters(deadLetters, plan.Handler.Name, ReportDeadLetters);
        _deadLetters = plan.KeepsDeadLetters ? deadLetters : null;
        Form = plan.Form.Name;
        _handlerName = plan.Handler.Name;
        _sinkName = plan.Sink?.Name;
        _slots = plan.Slots;
        _time = time;
        _logger = loggers.CreateLogger($"Quayside.Messaging.Routes.{plan.Name}");
        _countLog = new LogThrottle(time, CountLogInterval);
        _deadLettersLog = new LogThrottle(time, ReasonThrottle.Interval);
        plan.Recoverability.Use(services.GetServices<ExceptionTypeRule>());
        Metrics = new RouteMetrics(plan.Name, stores: plan.Sink is not null);
        Calls = new ApiCalls();
        Calls.Observe(plan.Name);
        Breaker = new CircuitBreaker(plan.Name, plan.Recoverability, time, _logger, hasSink: plan.Sink is not null);
        _sink = plan.Sink is null ? null : FeatureFactory.Open(plan.Sink, new SinkServices
        {
            Services = services,
            Loggers = loggers,
            Time = time,
            Route = plan.Name,
            Calls = Calls,
            Breaker = Breaker,
            Concurrency = plan.Slots,
            DeadLetters = plan.Sources.Any(source => source.HoldsOnlyCopies) ? deadLetters : null,
        });
        EnvelopeHint hint = new(plan.Name, plan.OtherEnvelopes, _logger);
        HandlerServices handler = new()
        {
            Route = plan.Name,
            Sink = _sink,
            Circuit = Breaker,
            Recoverability = plan.Recoverability,
            Metrics = Metrics,
            Calls = Calls,
            Services = services,
            DeadLetters = deadLetters,
            Loggers = loggers,
            Time = time,
            Concurrency = plan.Slots,
            SinkName = _sinkName ?? string.Empty,
            SinkRetries = plan.Sink is { Retries: true },
            LookForEnvelope = hint.Look,
        };
        Pipeline = RouteChain.Compose(plan, handler);
        _checks = handler.Checks;
        _owned = handler.Owned;
        _stopping = handler.Stopping;
        _reports = handler.Reports;
        RecoverabilityPolicy policy = new(plan.Recoverability);
        _health = services.GetService<RouteHealth>();
        _partFailures = new FailureRun(time, plan.Sources.Any(source => source.IsPushed));
        foreach (SourcePlan source in plan.Sources)
        {
            MessageDestination destination = source.Destination ?? new MessageDestination(source.LowerName, plan.Name);
            SlotRange slots = plan.SlotsOf(source);
            RouteMetrics counters = Metrics.ForSource(destination, !source.KeepsDeadLetters);
            IntakeReports reports = new(plan.Name, source.Name, Pipeline, policy, counters, time, _logger)
            {
                LookForEnvelope = hint.Look,
                PartFailures = _partFailures,
                SettlementFailures = new FailureRun(time, source.IsPushed),
                Timeouts = { Parts = $"the handler {_handlerName}{(_sinkName is null ? string.Empty : $" or the sink {_sinkName}")}" },
            };
            MessageIntake intake = new(Pipeline, plan.Intake, policy, Breaker, reports, time, slots)
            {
                Destination = destination,
                MaxMessageBytes = plan.MaxMessageBytes,
                TracesSettlement = source.TracesSettlement,
            };
            SourceServices given = new()
            {
                Route = plan.Name,
                Services = services,
                DeadLetters = deadLetters,
                Loggers = loggers,
                Time = time,
                Concurrency = slots.Max,
                Calls = Calls,
                Metrics = counters,
                Name = source.LowerName,
                Stores = _sink is not null,
            };
            IMessageSource created = FeatureFactory.Open(source, given);
            SourceRunner inlet = new(plan.Name, source, created, intake, time, _logger);
            _inlets.Add(inlet);
            Metrics.Publish(new InletGauges(
                source.LowerName,
                () => intake.Limit,
                () => intake.InFlight,
                () => intake.Held,
                () => intake.OldestAge.TotalSeconds,
                () => (int)Breaker.State,
                () => intake.BytesInFlight,
                () => inlet.Problem is not null,
                () => reports.Timeouts.SlowSettlements));
        }

        Breaker.CheckNeeded += () => _checkNeeded.Writer.TryWrite(true);

        Metrics.Publish(() => IsStuck, () => _pause is not null, () => InDeadLetterQueue, () => IsReady);
    }

    public string Name { get; }

    public string Form { get; }

    public IPipeline<MessageContext> Pipeline { get; }

    public RouteMetrics Metrics { get; }

    public CircuitBreaker Breaker { get; }

    /// <summary>Its calls of billed services.</summary>
    public ApiCalls Calls { get; }

    /// <summary>Null when the handler writes to no sink.</summary>
    public ISink? Sink => _sink;

    /// <summary>The handler's reports about the messages since the start; read them after the drain.</summary>
    public IEnumerable<string> HandlerReports()
    {
        List<string> texts = [];
        foreach (Func<string?> report in _reports)
        {
            Stop(() => texts.AddRange(report() is { } text ? [text] : []));
        }

        return texts;
    }

    public IEnumerable<string> SourceNames => _inlets.Select(inlet => inlet.Plan.Name);

    /// <inheritdoc cref="RouteStatus.Problem"/>
    public string? Problem => Faults().FirstOrDefault()?.Text;

    /// <summary>
    /// True while messages can arrive: the route was started and is not paused, its breaker is closed or the next message decides, and at least one source
    /// works.
    /// </summary>
    public bool IsReceiving => _pause is null && CanReceive;

    /// <summary>The operator's pause; null without one.</summary>
    public RoutePause? Pause => _pause;

    private bool IsReady => CanReceive && !IsStuck && !Faults().Any();

    // What IsReceiving would be without the operator's pause.
    private bool CanReceive => _isStarted && Breaker.Admits && _inlets.Exists(inlet => inlet.Problem is null);

    public int InFlight => _inlets.Sum(inlet => inlet.Intake.InFlight);

    public TimeSpan OldestAge => _inlets.Max(inlet => inlet.Intake.OldestAge);

    public bool IsStuck => _inlets.Exists(inlet => inlet.Intake.Reports.Timeouts.IsStuck);

    public RouteStatus GetStatus()
    {
        // Once: they may change meanwhile.
        RouteProblem[] faults = [.. Faults()];
        return new RouteStatus
        {
            Name = Name,
            Sources = [.. SourceNames],
            Handler = _handlerName,
            Sink = _sinkName,
            Form = Form,
            IsReceiving = IsReceiving,
            IsStuck = IsStuck,
            Pause = _pause,
            InDeadLetterQueue = InDeadLetterQueue,
            IsReady = CanReceive && !IsStuck && faults.Length == 0,
            Problem = faults.FirstOrDefault()?.Text,
            Problems = FindProblems(faults),
            NextMessageDecides = Breaker.NextMessageDecides,
            Breaker = Breaker.State,
            BreakerSince = Breaker.Since,
            NextProbe = Breaker.NextProbe,
            LastFailure = Breaker.LastFailure,
            Slots = _slots,
            Limit = _inlets.Sum(inlet => inlet.Intake.Limit),
            InFlight = InFlight,
            Held = _inlets.Sum(inlet => inlet.Intake.Held),
            BytesInFlight = _inlets.Sum(inlet => inlet.Intake.BytesInFlight),
            OldestAge = OldestAge,
            HasSink = _sink is not null,
            Results = DescribeResults(_sink),
            Calls = Calls,
            LastDeadLetterAt = Before(Metrics.SinceDeadLetter),
            LastDeadLetter = Metrics.LastDeadLetter,
            Totals = Metrics.Totals,
            Dropped = Metrics.DroppedInput,
            DroppedSince = Before(Metrics.SinceDropped?.First),
            LastDroppedAt = Before(Metrics.SinceDropped?.Last),
            LostAt = Before(Metrics.SinceLost),
            DeadLetterQueues = [.. _inlets.Where(static inlet => !inlet.Plan.KeepsDeadLetters).Select(static inlet => inlet.Plan.Name)],
        };
    }

    /// <summary>Stops receiving until <see cref="Resume"/>. Messages in flight are finished; slots that a source has reserved may still receive.</summary>
    public void PauseReceiving(RoutePause pause)
    {
        _pause = pause;
        foreach (SourceRunner inlet in _inlets)
        {
            inlet.Intake.SetPaused(true);
        }

        SafeLog.Try(() => LogPaused(Name, UntrustedText.Shorten(pause.By), UntrustedText.Shorten(pause.Note ?? "no note"), InFlight));
    }

    /// <summary>Ends the pause of <see cref="PauseReceiving"/>.</summary>
    public void Resume(string by)
    {
        EndPause();
        SafeLog.Try(() => LogResumed(Name, UntrustedText.Shorten(by)));
    }

    private void EndPause()
    {
        _pause = null;
        foreach (SourceRunner inlet in _inlets)
        {
            inlet.Intake.SetPaused(false);
        }
    }

    public void Start()
    {
        foreach (SourceRunner inlet in _inlets)
        {
            _receiving.Add(Task.Run(() => inlet.ReceiveAsync(_stopReceiving.Token)));
        }

        _receiving.Add(Task.Run(KeepCheckingSinkAsync));
        if (_inlets.Exists(inlet => inlet.Plan.CountsDeadLetters))
        {
            _receiving.Add(Task.Run(KeepCountingDeadLettersAsync));
        }

        _isStarted = true;
        string sources = string.Join(", ", SourceNames);
        if (_sinkName is null)
        {
            LogStartedWithoutSink(Name, sources, _handlerName);
        }
        else
        {
            LogStarted(Name, sources, _sinkName);
        }
    }

    private DateTimeOffset? Before(TimeSpan? ago) => _time.GetUtcNow() - ago;

    private static string? DescribeResults(ISink? sink)
    {
        try
        {
            return sink switch
            {
                null => null,
                BundlingSink bundles => $"{bundles.Objects:N0} bundles in {bundles.Locate(string.Empty)}",
                IObjectSink objects => objects.Locate(string.Empty),
                _ => null,
            };
        }
        catch (Exception)
        {
            return sink!.GetType().Name;
        }
    }

    [LoggerMessage(1016, LogLevel.Warning,
        "Route {Route}: paused by {By} ({Note}). It receives no messages until it is resumed or the worker restarts; "
            + "{InFlight} message(s) in flight are finished")]
    private partial void LogPaused(string route, string by, string note, int inFlight);

    [LoggerMessage(1017, LogLevel.Warning, "Route {Route}: resumed by {By}; it receives again")]
    private partial void LogResumed(string route, string by);

    [LoggerMessage(1001, LogLevel.Information, "Route {Route}: receiving from {Sources}, storing to {Sink}")]
    private partial void LogStarted(string route, string sources, string sink);

    [LoggerMessage(1010, LogLevel.Information, "Route {Route}: receiving from {Sources}, handled by {Handler}")]
    private partial void LogStartedWithoutSink(string route, string sources, string handler);
}
