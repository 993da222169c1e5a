using System.Net;
using System.Text.Json;
using Messaging.Configuration;
using Messaging.DeadLetters.Redrive;
using Messaging.Publishing;
using Messaging.Telemetry;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Messaging.Http.Web.Api;

/// <summary>
/// Redrives dead letters of the folder from within the worker, like the command <c>redrive</c>: one redrive at a time, each dead letter once. Threads: any.
/// </summary>
internal sealed partial class RedriveEndpoints(RedriveCatalog redrives, IConfiguration configuration, HttpAnswers answers, IHostApplicationLifetime lifetime, TimeProvider time, ILogger<RedriveEndpoints> logger)
{
    private const string Folder = "folder";
    private const int MaxRate = 100_000;

    // Enough for 10,000 names.
    private const int MaxRequestBytes = 4 << 20;

    private static readonly HttpRefusal Running = new(
        StatusCodes.Status409Conflict, "redrive-running", "A redrive is already running. Wait until it ends, or stop it with DELETE /api/v1/redrive.");

    private static readonly HttpRefusal Malformed = new(
        StatusCodes.Status400BadRequest, "malformed-request", "Send JSON with one of names, reason and all, such as {\"names\":[\"reason/day/id\"],\"rate\":50}, {\"reason\":\"malformed-json\",\"max\":1000} or {\"all\":true}, with Content-Type: application/json.");

    private readonly Lock _gate = new();
    private Run? _run;

    /// <summary><c>GET /api/v1/redrive</c>.</summary>
    public Task StateAsync(HttpContext context) => SendStateAsync(context, StatusCodes.Status200OK);

    /// <summary><c>POST /api/v1/redrive</c>: answers 202 while the redrive runs in the background.</summary>
    public async Task StartAsync(HttpContext context)
    {
        if (await ReadAsync(context) is not { } wanted)
        {
            await answers.RefuseAsync(context, Malformed);
            return;
        }

        // The worker's own address, at which this request arrived.
        IPAddress address = context.Connection.LocalIpAddress is { IsIPv4MappedToIPv6: true } mapped ? mapped.MapToIPv4() : context.Connection.LocalIpAddress ?? IPAddress.Loopback;
        RedriveRequest request = new(wanted.Reason, wanted.Max ?? int.MaxValue, DryRun: false, $"http://{new IPEndPoint(address, context.Connection.LocalPort)}", Route: null, wanted.Rate)
        {
            Names = wanted.Names is null ? null : new HashSet<string>(wanted.Names, StringComparer.Ordinal),
        };
        await (TryStart(request) ? SendStateAsync(context, StatusCodes.Status202Accepted) : answers.RefuseAsync(context, Running));
    }

    /// <summary><c>DELETE /api/v1/redrive</c>: stops the running redrive.</summary>
    public Task StopAsync(HttpContext context)
    {
        _run?.Stop();
        return SendStateAsync(context, StatusCodes.Status200OK);
    }

    private static async Task<RedriveOrder?> ReadAsync(HttpContext context)
    {
        if (!context.Request.HasJsonContentType() || context.Request.ContentLength is null or > MaxRequestBytes)
        {
            return null;
        }

        try
        {
            RedriveOrder? order = await JsonSerializer.DeserializeAsync(context.Request.Body, ApiJson.Default.RedriveOrder, context.RequestAborted);
            return order is { Rate: null or (> 0 and <= MaxRate), Max: null or > 0 } && (order.Names is not null || order.Reason is not null) != order.All && (order.Names is null || Array.TrueForAll(order.Names, name => name is not null)) ? order : null;
        }
        catch (Exception exception) when (exception is JsonException or BadHttpRequestException)
        {
            return null;
        }
    }

    private bool TryStart(RedriveRequest request)
    {
        lock (_gate)
        {
            if (_run is { IsDone: false })
            {
                return false;
            }

            _run = new Run(request, time.GetUtcNow(), lifetime.ApplicationStopping);
            _ = Task.Run(() => RunAsync(_run));
            return true;
        }
    }

    private async Task RunAsync(Run run)
    {
        LogStarted(logger, run.Request switch
        {
            { Names: { } names } => $"{names.Count:N0} selected",
            { Reason: { } reason } => $"reason {UntrustedText.Shorten(reason)}",
            _ => "all",
        });
        try
        {
            run.Result = await redrives.RunAsync(Folder, configuration, run.Request with { Started = progress => run.Progress = progress }, new CommandServices(time, TextWriter.Null, TextWriter.Null), run.Stopping);
            run.Problem = run.IsStopped ? "stopped on request; the remaining dead letters were not sent." : run.Result.Ended;
        }
        catch (Exception exception) when (exception is StartupException or ConfigurationException)
        {
            run.Problem = exception.Message;
        }
        catch (Exception exception)
        {
            run.Problem = $"The redrive ended unexpectedly: {exception.Message}";
            LogFailed(logger, exception);
        }

        run.End();
        LogEnded(logger, run.Progress?.Sent ?? 0, run.Progress?.LeftCount ?? 0, run.Problem ?? "all were processed");
    }

    private Task SendStateAsync(HttpContext context, int status)
    {
        Run? run = _run;
        RedriveState state = new(
            run is null ? "idle" : run.IsDone ? "done" : "running",
            run is null ? 0 : Math.Min(run.Progress?.Total ?? 0, run.Request.Max),
            run?.Progress?.Found ?? 0,
            run?.Progress?.Sent ?? 0,
            run?.Progress?.LeftCount ?? 0,
            run?.Request.Rate,
            run?.StartedAt.UtcDateTime,
            run?.Problem,
            [.. (run?.Progress?.Left ?? []).Select(static failure => failure.Split(": ", 2) is [var name, var error] ? new RedriveFailure(name, error) : new RedriveFailure(failure, string.Empty))]);
        return ApiJson.SendAsync(context, state, ApiJson.Readable.RedriveState, status);
    }

    [LoggerMessage(1212, LogLevel.Information, "Redrive of dead letters started over the API: {Which}")]
    private static partial void LogStarted(ILogger logger, string which);

    [LoggerMessage(1213, LogLevel.Information, "Redrive ended: {Sent} dead letter(s) sent and deleted, {Left} kept; {Problem}")]
    private static partial void LogEnded(ILogger logger, int sent, int left, string problem);

    [LoggerMessage(1214, LogLevel.Error, "Redrive failed unexpectedly; dead letters that were not sent are kept. Start the redrive again")]
    private static partial void LogFailed(ILogger logger, Exception exception);

    private sealed class Run(RedriveRequest request, DateTimeOffset startedAt, CancellationToken workerStops)
    {
        private readonly CancellationTokenSource _stop = CancellationTokenSource.CreateLinkedTokenSource(workerStops);
        private volatile bool _isDone;

        public RedriveRequest Request => request;

        public DateTimeOffset StartedAt => startedAt;

        public CancellationToken Stopping => _stop.Token;

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

/// <summary>The body of <c>POST /api/v1/redrive</c>.</summary>
/// <param name="Names">The dead letters to redrive; null without a selection by name.</param>
/// <param name="Reason">The reason of the dead letters to redrive; null without a selection by reason.</param>
/// <param name="All">True to redrive every dead letter; explicit, so that an empty request does not mean it.</param>
/// <param name="Max">The maximum number of dead letters to redrive; null for no limit.</param>
/// <param name="Rate">The maximum number of dead letters per second; null for no limit.</param>
internal sealed record RedriveOrder(string[]? Names = null, string? Reason = null, bool All = false, int? Max = null, int? Rate = null);

/// <summary>The answer of <c>/api/v1/redrive</c>.</summary>
/// <param name="State"><c>idle</c>, <c>running</c> or <c>done</c>.</param>
/// <param name="Total">Dead letters at the start, as far as known.</param>
/// <param name="Found">Of those, the ones that were asked for.</param>
/// <param name="Sent">Of those, the ones that were accepted and deleted.</param>
/// <param name="Left">Of those, the ones that stay.</param>
/// <param name="Rate">The maximum number per second; null for no limit.</param>
/// <param name="StartedAt">UTC; null when idle.</param>
/// <param name="Problem">Why it ended before all were tried; null otherwise.</param>
/// <param name="Failures">The first of those that stay.</param>
internal sealed record RedriveState(string State, long Total, int Found, int Sent, int Left, int? Rate, DateTime? StartedAt, string? Problem, IReadOnlyList<RedriveFailure> Failures);

/// <summary>A dead letter that stays, and why.</summary>
internal sealed record RedriveFailure(string Name, string Error);
