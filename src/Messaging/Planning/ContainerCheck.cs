using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Quayside.Messaging.Configuration;
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

/// <summary>
/// Builds what the container has for a worker, part by part, so that one defective part does not hide another. What it built is disposed at the end.
/// </summary>
internal sealed class ContainerCheck
{
    // As for a check at start.
    private static readonly TimeSpan CheckLimit = TimeSpan.FromSeconds(10);

    private readonly IServiceProvider _services;
    private readonly ILoggerFactory _loggers;
    private readonly TimeProvider _time;
    private readonly OrderedDictionary<string, List<string>> _problems = [];
    private readonly List<string> _left = [];
    private readonly List<object> _built = [];

    private ContainerCheck(IServiceProvider services)
    {
        _services = services;
        _loggers = services.GetRequiredService<ILoggerFactory>();
        _time = services.GetRequiredService<TimeProvider>();
    }

    /// <summary>Builds the handlers, steps, behaviours, sources and sinks of every route, with their services. Starts and connects nothing.</summary>
    /// <param name="services">The container of a host that was built and not started, and is not started afterwards.</param>
    /// <returns>
    /// The problems: one line each, which names the part, what is wrong and what to do. Then the parts that only a start can build, since they ask the machine
    /// that they run on.
    /// </returns>
    public static async Task<(IReadOnlyList<string> Problems, IReadOnlyList<string> LeftToStart)> RunAsync(IServiceProvider services)
    {
        ContainerCheck check = new(services);
        await check.BuildAllAsync();
        return (
            [.. check._problems.Select(static problem => problem.Value.Count == 0 ? problem.Key : $"{string.Join("; ", problem.Value)}: {problem.Key}")],
            check._left);
    }

    private async Task BuildAllAsync()
    {
        WorkerPlan plan = _services.GetRequiredService<WorkerPlan>();
        Try(string.Empty, () => _services.GetService<IStartupValidator>()?.Validate());
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
            SourceServices given = new()
            {
                Route = route.Name,
                Services = _services,
                DeadLetters = deadLetters,
                Loggers = _loggers,
                Time = _time,
                Concurrency = route.MaxInFlight(source),
                Calls = calls,
                Metrics = metrics,
                Name = source.LowerName,
                Stores = route.Sink is not null,
            };
            Build($"{name}, source {source.Name}", source.IsLeftToStart, () => source.Create(given));
        }

        ISink? sink = route.Sink is not { } plan
            ? null
            : Build($"{name}, sink {plan.Name}", plan.IsLeftToStart, () => plan.Create(
                new SinkServices
                {
                    Services = _services,
                    Loggers = _loggers,
                    Time = _time,
                    Route = route.Name,
                    Calls = calls,
                    Breaker = breaker,
                    Concurrency = route.Slots,
                })) ?? new PrintedSink();

        HandlerServices handler = new()
        {
            Route = route.Name,
            Sink = sink,
            Circuit = breaker,
            Recoverability = route.Recoverability,
            Metrics = metrics,
            Calls = calls,
            Services = _services,
            DeadLetters = deadLetters,
            Loggers = _loggers,
            Time = _time,
            Concurrency = route.Slots,
            SinkRetries = route.Sink is { Retries: true },
        };
        PipelineBuilder<MessageContext> builder = RouteChain.Begin(route);
        bool isWhole = true;
        foreach (EnvelopePlan envelope in route.Envelopes)
        {
            isWhole &= Try($"{name}, envelope {envelope.Name}", () => RouteChain.Unwrap(route, envelope, builder, handler));
        }

        foreach (RoutePart part in route.Parts)
        {
            isWhole &= Try($"{name}, part {part.Name}", () => part.Compose(builder, handler));
        }

        string handlerName = $"{name}, handler {route.Handler.Name}";
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

    private T? Build<T>(string part, Func<bool>? isLeftToStart, Func<T> create)
        where T : class
    {
        T? created = null;
        bool isLeft = false;
        if (!Try(part, () => isLeft = isLeftToStart?.Invoke() == true))
        {
            return null;
        }

        if (isLeft)
        {
            _left.Add(part);
            return null;
        }

        if (!Try(part, () => created = create()))
        {
            return null;
        }

        if (created is null)
        {
            Add(part, "its feature created nothing (null): return an instance from Create.");
        }
        else
        {
            _built.Add(created);
        }

        return created;
    }

    // Foreign code: it may throw anything.
    private bool Try(string part, Action run)
    {
        try
        {
            run();
            return true;
        }
        catch (Exception exception)
        {
            Report(part, exception);
            return false;
        }
    }

    private async Task TryAsync(string part, Func<Task> run)
    {
        try
        {
            await run();
        }
        catch (Exception exception)
        {
            Report(part, exception);
        }
    }

    private void Report(string part, Exception exception)
    {
        if (exception is OptionsValidationException options)
        {
            foreach (string failure in options.Failures)
            {
                Add(part, failure);
            }

            return;
        }

        // The worker's own messages name the route already.
        string problem = exception is StartupException or PipelineDefinitionException ? exception.Message : ServiceErrors.Describe(exception);
        bool isNamed = problem.StartsWith("Route ", StringComparison.Ordinal);
        Add(part, isNamed && problem.IndexOf(": ", StringComparison.Ordinal) is > 0 and int end ? problem[(end + 2)..] : problem);
    }

    // Routes often share a step, a region or a mistake.
    private void Add(string part, string problem)
    {
        if (!_problems.TryGetValue(problem, out List<string>? parts))
        {
            parts = [];
            _problems.Add(problem, parts);
        }

        if (part.Length > 0 && !parts.Contains(part))
        {
            parts.Add(part);
        }
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
