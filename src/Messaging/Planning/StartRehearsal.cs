using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Costs;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;

namespace Quayside.Messaging.Planning;

/// <summary>Builds what a start builds, part by part, so that one defective part does not hide another. What it built is disposed at the end.</summary>
public sealed class StartRehearsal
{
    // As for a check at start.
    private static readonly TimeSpan CheckLimit = TimeSpan.FromSeconds(10);

    private readonly IServiceProvider _services;
    private readonly ILoggerFactory _loggers;
    private readonly TimeProvider _time;
    private readonly StartFindings _findings = new();
    private readonly List<object> _built = [];

    private StartRehearsal(IServiceProvider services)
    {
        _services = services;
        _loggers = services.GetRequiredService<ILoggerFactory>();
        _time = services.GetRequiredService<TimeProvider>();
    }

    /// <summary>Builds the handlers, steps, behaviours, sources and sinks of every route as a start does, with their services, and runs their checks. Starts and connects nothing.</summary>
    /// <param name="services">The container of a host that was built and not started, and is not started afterwards.</param>
    public static async Task<StartFindings> RunAsync(IServiceProvider services)
    {
        StartRehearsal rehearsal = new(services);
        await rehearsal.BuildAllAsync();
        return rehearsal._findings;
    }

    private async Task BuildAllAsync()
    {
        WorkerPlan plan = _services.GetRequiredService<WorkerPlan>();
        Try(string.Empty, () => _services.GetService<IStartupValidator>()?.Validate());
        foreach (IStartCheck check in _services.GetServices<IStartCheck>())
        {
            Try(string.Empty, () => check.Check(_findings));
        }

        if (plan.Routes.Any(route => route.KeepsDeadLetters))
        {
            Try("dead letters", () => (_services.GetRequiredService<IDeadLetterStore>() as IStartCheck)?.Check(_findings));
        }

        foreach (RoutePlan route in plan.Routes)
        {
            await BuildAsync(route);
        }

        Try("hosted services", () => _ = _services.GetServices<IHostedService>().Count());
        await DisposeAsync();
    }

    private async Task BuildAsync(RoutePlan route)
    {
        string name = $"Route {route.Name}";
        RouteMetrics metrics = new(route.Name);
        ApiCalls calls = new();
        IDeadLetterStore deadLetters = _services.GetRequiredService<IDeadLetterStore>();
        CircuitBreaker breaker = new(route.Name, route.Recoverability, _time, _loggers.CreateLogger<CircuitBreaker>());
        foreach (SourcePlan source in route.Sources)
        {
            Build($"{name}, source {source.Name}", source.CheckBeforeStart, () => source.Create(new SourceServices(route.Name, _services, deadLetters, _loggers, _time, route.SlotsOf(source).Max, calls, metrics) { Name = source.LowerName }));
        }

        ISink? sink = route.Sink is not { } plan
            ? null
            : Build($"{name}, sink {plan.Name}", plan.CheckBeforeStart, () => plan.Create(new SinkServices(_services, _loggers, _time, route.Name, calls, breaker, route.Slots))) ?? new PrintedSink();

        HandlerServices handler = new(route.Name, sink, breaker, route.Recoverability, metrics, calls, _services, deadLetters, _loggers, _time, route.Slots) { SinkRetries = route.Sink is { Retries: true } };
        PipelineBuilder<PhysicalContext> builder = RouteChain.Begin(route);
        bool isWhole = true;
        foreach (EnvelopePlan envelope in route.Envelopes)
        {
            Try($"{name}, envelope {envelope.Name}", () => envelope.CheckBeforeStart?.Invoke(_findings));
            isWhole &= Try($"{name}, envelope {envelope.Name}", () => RouteChain.Unwrap(route, envelope, builder, handler));
        }

        foreach (RoutePart part in route.Parts)
        {
            isWhole &= Try($"{name}, part {part.Name}", () => part.Compose(builder, handler));
        }

        string handlerName = $"{name}, handler {route.Handler.Name}";
        Try(handlerName, () => route.Handler.CheckBeforeStart?.Invoke(_findings));
        isWhole &= Try(handlerName, () => route.Handler.Compose(builder, handler));
        foreach (RouteCheck check in handler.Checks.Where(check => check.IsLocal))
        {
            await TryAsync(handlerName, () => check.CheckAsync(CancellationToken.None).WaitAsync(CheckLimit, _time));
        }

        if (isWhole)
        {
            Try(handlerName, () => builder.Build(route.Form));
        }

        _built.AddRange(handler.Owned);
    }

    /// <summary>Runs a part's own check, and creates the part unless that has found something: creating it might need the connection that the check leaves to the start.</summary>
    private T? Build<T>(string part, Action<StartFindings>? check, Func<T> create)
        where T : class
    {
        int before = _findings.Count;
        T? created = null;
        if (Try(part, () => check?.Invoke(_findings)) && _findings.Count == before && Try(part, () => created = create()))
        {
            if (created is null)
            {
                _findings.Fail("its feature created nothing (null): return an instance from Create.");
            }
            else
            {
                _built.Add(created);
            }
        }

        return created;
    }

    // Foreign code: it may throw anything.
    private bool Try(string part, Action run)
    {
        _findings.Part = part;
        try
        {
            run();
            return true;
        }
        catch (Exception exception)
        {
            Report(exception);
            return false;
        }
    }

    private async Task TryAsync(string part, Func<Task> run)
    {
        _findings.Part = part;
        try
        {
            await run();
        }
        catch (Exception exception)
        {
            Report(exception);
        }
    }

    private void Report(Exception exception)
    {
        if (exception is OptionsValidationException options)
        {
            foreach (string failure in options.Failures)
            {
                _findings.Fail(failure);
            }

            return;
        }

        // The worker's own messages name the route already.
        string problem = exception is StartupException or PipelineDefinitionException ? exception.Message : ServiceErrors.Describe(exception);
        _findings.Fail(problem.StartsWith("Route ", StringComparison.Ordinal) && problem.IndexOf(": ", StringComparison.Ordinal) is > 0 and int end ? problem[(end + 2)..] : problem);
    }

    private async Task DisposeAsync()
    {
        foreach (object part in Enumerable.Reverse(_built))
        {
            try
            {
                await PartActivator.DisposeAsync(part).AsTask().WaitAsync(CheckLimit, _time);
            }
            catch (Exception)
            {
                // A start would not have met it.
            }
        }
    }
}
