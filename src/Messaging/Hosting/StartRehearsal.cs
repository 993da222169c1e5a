using Messaging.Costs;
using Messaging.DeadLetters;
using Messaging.Handlers;
using Messaging.Recoverability;
using Messaging.Routes;
using Messaging.Sinks;
using Messaging.Sources;
using Messaging.Telemetry;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Pipeline.Building;
using Pipeline.Contexts;

namespace Messaging.Hosting;

/// <summary>Builds what a start builds, part by part, so that one defective part does not hide another. What it built is disposed at the end.</summary>
internal sealed class StartRehearsal(IServiceProvider services, StartFindings findings)
{
    // As for a check at start.
    private static readonly TimeSpan CheckLimit = TimeSpan.FromSeconds(10);

    private readonly ILoggerFactory _loggers = services.GetRequiredService<ILoggerFactory>();
    private readonly TimeProvider _time = services.GetRequiredService<TimeProvider>();
    private readonly List<object> _built = [];

    public async Task RunAsync()
    {
        WorkerPlan plan = services.GetRequiredService<WorkerPlan>();
        Try(string.Empty, () => services.GetService<IStartupValidator>()?.Validate());
        foreach (IStartCheck check in services.GetServices<IStartCheck>())
        {
            Try(string.Empty, () => check.Check(findings));
        }

        if (plan.Routes.Any(route => route.KeepsDeadLetters))
        {
            Try("dead letters", () => (services.GetRequiredService<IDeadLetterStore>() as IStartCheck)?.Check(findings));
        }

        foreach (RoutePlan route in plan.Routes)
        {
            await BuildAsync(route);
        }

        Try("hosted services", () => _ = services.GetServices<IHostedService>().Count());
        await DisposeAsync();
    }

    private async Task BuildAsync(RoutePlan route)
    {
        string name = $"Route {route.Name}";
        RouteMetrics metrics = new(route.Name);
        ApiCalls calls = new();
        IDeadLetterStore deadLetters = services.GetRequiredService<IDeadLetterStore>();
        CircuitBreaker breaker = new(route.Name, route.Recoverability, _time, _loggers.CreateLogger<CircuitBreaker>());
        foreach (SourcePlan source in route.Sources)
        {
            Build($"{name}, source {source.Name}", source.CheckBeforeStart, () => source.Create(new SourceServices(route.Name, services, deadLetters, _loggers, _time, SlotRange(route, source), calls, metrics)));
        }

        ISink? sink = route.Sink is not { } plan
            ? null
            : Build($"{name}, sink {plan.Name}", plan.CheckBeforeStart, () => plan.Create(new SinkServices(services, _loggers, _time, route.Name, calls, breaker, route.Slots))) ?? new PrintedSink();

        HandlerServices handler = new(route.Name, sink, breaker, route.Recoverability, metrics, calls, services, deadLetters, _loggers, _time, route.Slots);
        PipelineBuilder<PhysicalContext> builder = RouteChain.Begin(route);
        bool isWhole = true;
        foreach (RoutePart part in route.Parts)
        {
            isWhole &= Try($"{name}, part {part.Name}", () => part.Compose(builder, handler));
        }

        string handlerName = $"{name}, handler {route.Handler.Name}";
        Try(handlerName, () => route.Handler.CheckBeforeStart?.Invoke(findings));
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

    private static int SlotRange(RoutePlan route, SourcePlan source) => Intake.SlotRange.Of(route, source).Most;

    /// <summary>Runs a part's own check, and creates the part unless that has found something: creating it might need the connection that the check leaves to the start.</summary>
    private T? Build<T>(string part, Action<StartFindings>? check, Func<T> create)
        where T : class
    {
        int before = findings.Count;
        T? created = null;
        if (Try(part, () => check?.Invoke(findings)) && findings.Count == before && Try(part, () => created = create()))
        {
            if (created is null)
            {
                findings.Fail("its feature created nothing (null): return an instance from Create.");
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
        findings.Part = part;
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
        findings.Part = part;
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
                findings.Fail(failure);
            }

            return;
        }

        // The worker's own messages name the route already.
        string problem = exception is StartupException or PipelineDefinitionException ? exception.Message : ServiceErrors.Describe(exception);
        findings.Fail(problem.StartsWith("Route ", StringComparison.Ordinal) && problem.IndexOf(": ", StringComparison.Ordinal) is > 0 and int end ? problem[(end + 2)..] : problem);
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
