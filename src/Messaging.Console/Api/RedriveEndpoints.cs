using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Console.Api;

/// <summary>
/// Redrives and discards dead letters of the folder from within the worker, and redrives and moves those of queues: one such run at a time, each dead
/// letter once. Threads: any.
/// </summary>
internal sealed partial class RedriveEndpoints(
    RedriveCatalog redrives, DeadLetterEndpoints letters, IWorkerStatus worker, IRouteControl routes, IConfiguration configuration, HttpAnswers answers,
    IHostApplicationLifetime lifetime, TimeProvider time, ILogger<RedriveEndpoints> logger)
    : IAsyncDisposable
{
    private const string Stopped = "stopped on request; the remaining dead letters stay as they are.";
    private const int MaxRate = 100_000;

    // Enough for 10,000 names.
    private const int MaxRequestBytes = 4 << 20;

    // Of a listing, in characters: some 20 dead letters with the starts of their bodies.
    private const int MaxListing = 64 << 10;

    // A run over a queue ends its calls by then (SIGTERM): what was sent or stored is deleted too.
    private static readonly TimeSpan EndLimit = TimeSpan.FromSeconds(8);

    private static readonly HttpRefusal Running = new(
        StatusCodes.Status409Conflict, "redrive-running",
        "A redrive, or another run over dead letters, is already running. Wait until it ends, or stop it with DELETE /api/v1/redrive.");

    private static readonly HttpRefusal Malformed = new(
        StatusCodes.Status400BadRequest,
        "malformed-request",
        "Send JSON with one of names, reason and all, such as {\"names\":[\"reason/day/id\"],\"rate\":50}, {\"reason\":\"malformed-json\",\"max\":1000} or "
        + "{\"all\":true,\"dryRun\":true}, with Content-Type: application/json. For a dead-letter queue add \"queue\":{\"route\":\"orders\"}; its dead letters "
        + "have ids for names, and only they can be moved.");

    private static readonly HttpRefusal NoQueue = new(
        StatusCodes.Status404NotFound, "no-such-queue",
        "This route does not have exactly one source with a dead-letter queue that can be redriven. GET /api/v1/stats lists them as deadLetterQueues; name one "
            + "with \"queue\":{\"route\":\"orders\",\"source\":\"Sqs\"}.");

    private readonly Lock _gate = new();
    private Run? _run;
    private Task _running = Task.CompletedTask;

    /// <summary><c>GET /api/v1/redrive</c>.</summary>
    public Task StateAsync(HttpContext context) => SendStateAsync(context, StatusCodes.Status200OK);

    /// <summary><c>POST /api/v1/redrive</c>: answers 202 while the redrive runs in the background.</summary>
    public Task StartAsync(HttpContext context) => StartAsync(context, RedriveAction.Redrive);

    /// <summary><c>POST /api/v1/dead-letters/move</c>: from a queue to the folder; answers 202, likewise.</summary>
    public Task MoveAsync(HttpContext context) => StartAsync(context, RedriveAction.Move);

    /// <summary><c>POST /api/v1/dead-letters/discard</c>: answers 202, likewise.</summary>
    public Task DiscardAsync(HttpContext context) => StartAsync(context, RedriveAction.Discard);

    /// <summary><c>DELETE /api/v1/redrive</c>: stops the run.</summary>
    public Task StopAsync(HttpContext context)
    {
        ChangeLog.Describe(context, $"stop the {NameOf(_run?.Action ?? RedriveAction.Redrive)} of dead letters");
        _run?.Stop();
        return SendStateAsync(context, StatusCodes.Status200OK);
    }

    /// <summary>Waits until a run that the end of the worker interrupts has ended: what it sent or stored it then has deleted.</summary>
    public async ValueTask DisposeAsync() => await _running.WaitAsync(EndLimit, time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    private async Task StartAsync(HttpContext context, RedriveAction action)
    {
        if (await ApiJson.TryReadAsync(context, ApiJson.Default.RedriveOrder, MaxRequestBytes) is not { } order || !IsComplete(order, action))
        {
            await answers.RefuseAsync(context, Malformed);
            return;
        }

        if (order.Queue is { } queue && StoreOf(queue) is null)
        {
            await answers.RefuseAsync(context, NoQueue);
            return;
        }

        ChangeLog.Describe(
            context,
            $"{NameOf(action)} dead letters{(order.Queue is { } from ? $" of the queue of route {from.Route}" : string.Empty)}"
                + $"{(order.DryRun ? " (dry run)" : string.Empty)}, {DescribeSelection(order)}");

        // The worker's own address, at which this request arrived.
        IPAddress address = context.Connection.LocalIpAddress is { IsIPv4MappedToIPv6: true } mapped
            ? mapped.MapToIPv4()
            : context.Connection.LocalIpAddress ?? IPAddress.Loopback;
        RedriveRequest request = new(
            order.Reason, order.Max ?? int.MaxValue, order.DryRun,
            order.Queue is null ? $"http://{new IPEndPoint(address, context.Connection.LocalPort)}" : null, order.Queue?.Route, order.Rate)
        {
            Bodies = order is { Queue: not null, DryRun: true },
            ToFolder = action == RedriveAction.Move,
        };
        Run run = new(action, order, request, time.GetUtcNow(), lifetime.ApplicationStopping);
        if (!TryStart(run))
        {
            await answers.RefuseAsync(context, Running);
            return;
        }

        ChangeLog.Follow(context, run.Ended.Task);
        await SendStateAsync(context, StatusCodes.Status202Accepted);
    }

    // Exactly one selection, so that a forgotten one does not mean all.
    private static bool IsComplete(RedriveOrder order, RedriveAction action) =>
        (order.Queue is null ? action != RedriveAction.Move : action is RedriveAction.Redrive or RedriveAction.Move)
        && order is { Rate: null or (> 0 and <= MaxRate), Max: null or > 0 }
        && (order.Names is not null || order.Reason is not null) != order.All
        && (order.Names is null || Array.TrueForAll(order.Names, name => name is not null));

    private bool TryStart(Run run)
    {
        lock (_gate)
        {
            if (_run is { IsDone: false })
            {
                return false;
            }

            _run = run;
            _running = Task.Run(() => RunAsync(run));
            return true;
        }
    }

    private async Task RunAsync(Run run)
    {
        string action = run.Request.DryRun ? $"{NameOf(run.Action)} (dry run)" : NameOf(run.Action);
        try
        {
            await (run.Action is RedriveAction.Redrive or RedriveAction.Move ? RedriveAsync(run) : Task.Run(() => Discard(run)));
        }
        catch (Exception exception) when (exception is StartupException or ConfigurationException or IOException or UnauthorizedAccessException)
        {
            run.Problem = exception.Message;
        }
        catch (OperationCanceledException) when (run.Stopping.IsCancellationRequested)
        {
            run.Problem = Stopped;
        }
        catch (Exception exception)
        {
            run.Problem = $"The {action} ended unexpectedly: {exception.Message}";
            LogFailed(logger, action, exception);
        }

        letters.Changed();
        run.End();
        string counts = run.Request.DryRun
            ? $"{run.Progress?.Found ?? 0:N0} found"
            : $"{run.Progress?.Sent ?? 0:N0} done, {run.Progress?.LeftCount ?? 0:N0} left";
        run.Ended.SetResult($"ended: {counts}{(run.Problem is { } problem ? $"; {UntrustedText.Shorten(problem)}" : string.Empty)}");
        if (run.Order.Queue is { Route: { } route } && !run.Request.DryRun)
        {
            routes.CountDeadLetters(route);
        }

        LogEnded(logger, action, counts, run.Problem ?? "all were processed");
    }

    private async Task RedriveAsync(Run run)
    {
        HashSet<string>? names = run.Order.Names is { } chosen ? new HashSet<string>(chosen, StringComparer.Ordinal) : null;
        RedriveRequest request = run.Request with { Names = names, Started = progress => run.Progress = progress };
        string store = run.Order.Queue is { } queue ? StoreOf(queue)! : RedriveCatalog.Folder;
        run.Result =
            await redrives.RunAsync(store, configuration, request, new CommandServices(time, run.Listing ?? TextWriter.Null, TextWriter.Null), run.Stopping);
        run.Problem = run.IsStopped ? Stopped : run.Result.Ended;
    }

    private void Discard(Run run)
    {
        if (letters.Editor is not { } editor)
        {
            run.Problem = "The API cannot discard dead letters of this worker's store.";
            return;
        }

        // Of those that were named, only the ones that are there are found.
        HashSet<string> names = [.. (run.Order.Names?.Where(IsThere) ?? editor.EnumerateNames())
            .Where(name => run.Order.Reason is null || ReasonOf(name) == run.Order.Reason)];
        RedriveProgress progress = new(run.Request, names.Count, time, TextWriter.Null);
        run.Progress = progress;
        foreach (string name in names)
        {
            if (progress.HasAll)
            {
                break;
            }

            run.Stopping.ThrowIfCancellationRequested();
            string reason = ReasonOf(name);
            progress.AddFound(reason);
            try
            {
                if (run.Request.DryRun)
                {
                    continue;
                }

                if (editor.Discard(name))
                {
                    progress.AddSent(reason);
                }
                else
                {
                    progress.AddLeft(reason, name, "no dead letter has this name; it may have been redriven or deleted.");
                }
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                progress.AddLeft(reason, name, UntrustedText.Shorten(exception.Message));
            }
        }

        bool IsThere(string name)
        {
            try
            {
                return editor.ReadRecord(name) is not null;
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                // One with a damaged record can be discarded too.
                return true;
            }
        }
    }

    /// <summary>The name of the store for the catalog; null when the route has no such source, or several and none was named.</summary>
    private string? StoreOf(QueueOrder queue)
    {
        RouteStatus? route = worker.GetRoutes().FirstOrDefault(route => route.Name == queue.Route);
        string[] sources = [
            .. (route?.DeadLetterQueues ?? []).Where(
                source => queue.Source is null || string.Equals(source, queue.Source, StringComparison.OrdinalIgnoreCase))];
        return sources is [var only] ? redrives.NameOf(only) : null;
    }

    private static string DescribeSelection(RedriveOrder order) => order switch
    {
        { Names: [var only] } => only,
        { Names: { } names } => $"{names.Length:N0} selected",
        { Reason: { } reason } => $"reason {reason}",
        _ => "all",
    };

    private static string ReasonOf(string name) => name.Split('/')[0];

    private static string NameOf(RedriveAction action) => action switch
    {
        RedriveAction.Redrive => "redrive",
        RedriveAction.Move => "move",
        _ => "discard",
    };

    private Task SendStateAsync(HttpContext context, int status)
    {
        Run? run = _run;
        RedriveState state = new(
            run is null ? "idle" : run.IsDone ? "done" : "running",
            run is null ? 0 : Math.Min(run.Progress?.Total ?? 0, run.Request.Max),
            run?.Progress?.Found ?? 0,
            run?.Progress?.Sent ?? 0,
            run?.Progress?.SentToQueue ?? 0,
            run?.Progress?.LeftCount ?? 0,
            run?.Request.Rate,
            run?.StartedAt.UtcDateTime,
            run?.Problem,
            run is null ? "redrive" : NameOf(run.Action),
            run?.Request.DryRun ?? false,
            run?.Progress?.ByReason ?? [],
            [.. (run?.Progress?.Left ?? []).Select(
                static failure => failure.Split(": ", 2) is [var name, var error]
                    ? new RedriveFailure(name, error)
                    : new RedriveFailure(failure, string.Empty))],
            run?.Result is { } result
                ? [.. result.Notes,
                    .. result.AgainCount > 0
                        ? [$"At least {result.AgainCount:N0} were dead-lettered again: {string.Join("; ", result.Again)}."]
                        : Array.Empty<string>()]
                : [],
            run?.Order.Queue?.Route,
            run?.Listing?.ToString());
        return ApiJson.SendAsync(context, state, ApiJson.Readable.RedriveState, status);
    }

    [LoggerMessage(1213, LogLevel.Information, "The {Action} of dead letters ended: {Counts}; {Problem}")]
    private static partial void LogEnded(ILogger logger, string action, string counts, string problem);

    [LoggerMessage(1214, LogLevel.Error, "The {Action} failed unexpectedly; the remaining dead letters are kept. Start it again")]
    private static partial void LogFailed(ILogger logger, string action, Exception exception);

    private sealed class Run(RedriveAction action, RedriveOrder order, RedriveRequest request, DateTimeOffset startedAt, CancellationToken workerStops)
    {
        private readonly CancellationTokenSource _stop = CancellationTokenSource.CreateLinkedTokenSource(workerStops);
        private volatile bool _isDone;

        public RedriveAction Action => action;

        public RedriveOrder Order => order;

        public RedriveRequest Request => request;

        public DateTimeOffset StartedAt => startedAt;

        /// <summary>What became of it, for the changes.</summary>
        public TaskCompletionSource<string> Ended { get; } = new();

        public CancellationToken Stopping => _stop.Token;

        /// <summary>What a dry run of a queue lists; null for others.</summary>
        public BoundedText? Listing { get; } = request.Bodies ? new(MaxListing) : null;

        public RedriveProgress? Progress { get; set; }

        public RedriveResult? Result { get; set; }

        public string? Problem { get; set; }

        public bool IsDone => _isDone;

        public bool IsStopped { get; private set; }

        public void End()
        {
            _isDone = true;
            _stop.Dispose();
        }

        public void Stop()
        {
            IsStopped = true;
            try
            {
                _stop.Cancel();
            }
            catch (ObjectDisposedException)
            {
                // It ended before this call.
            }
        }
    }
}

/// <summary>What a run does with dead letters.</summary>
internal enum RedriveAction
{
    /// <summary>No action: a defect.</summary>
    Undecided = 0,

    /// <summary>Sends them to their routes again.</summary>
    Redrive,

    /// <summary>Moves them from their queue to the folder.</summary>
    Move,

    /// <summary>Puts them aside.</summary>
    Discard,
}
