using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Http;
using Quayside.Messaging.Planning;

namespace Quayside.Messaging.Console.Api;

/// <summary>Serves the worker's current state, its history, a stream of states, and its configuration. Threads: any.</summary>
internal sealed class StatsEndpoints(
    WorkerStats stats, WorkerHistory history, WorkerPlan plan, HttpAnswers answers, IHostApplicationLifetime lifetime, TimeProvider time)
{
    /// <summary>A watcher is dropped when a write is blocked for this long. The kernel's buffers delay that for a watcher that reads nothing.</summary>
    public static readonly TimeSpan WriteLimit = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private static readonly HttpRefusal TooMany = new(
        StatusCodes.Status503ServiceUnavailable, "too-many-watchers", $"All {Watchers.Max} streams are in use. Close one, or poll /api/v1/stats.",
        RetryAfterSeconds: 5);

    private readonly Watchers _watchers = new(time);

    /// <summary><c>GET /api/v1/stats</c>.</summary>
    public Task StatsAsync(HttpContext context) => ApiJson.SendAsync(context, stats.Get().Json);

    /// <summary><c>GET /api/v1/history</c>.</summary>
    public Task HistoryAsync(HttpContext context) => ApiJson.SendAsync(context, history.Read(), ApiJson.Readable.HistoryState);

    /// <summary><c>GET /api/v1/config</c>.</summary>
    public Task ConfigAsync(HttpContext context) => ApiJson.SendAsync(context, new SettingsState(plan.Effective), ApiJson.Readable.SettingsState);

    /// <summary><c>GET /api/v1/events</c>: server-sent events, a state every second until the caller disconnects or the worker stops.</summary>
    public async Task EventsAsync(HttpContext context)
    {
        Action end = context.Abort;
        if (!_watchers.TryAdd(end))
        {
            await answers.RefuseAsync(context, TooMany);
            return;
        }

        try
        {
            await StreamAsync(context);
        }
        catch (Exception exception) when (exception is OperationCanceledException or IOException)
        {
            // The watcher has disconnected or reads no more: the rest of its stream is discarded.
            context.Abort();
        }
        finally
        {
            _watchers.Remove(end);
        }
    }

    private async Task StreamAsync(HttpContext context)
    {
        context.Response.ContentType = "text/event-stream";
        do
        {
            await WriteAsync(context, "stats", stats.Get().Json);
        }
        while (await NextAsync(context.RequestAborted));

        await WriteAsync(context, "end", "{\"reason\":\"stopping\"}"u8.ToArray());
    }

    /// <summary>Waits for the next full second, the same for all watchers: the worker then wakes up once for all, and makes one state.</summary>
    /// <returns>False when the worker stops.</returns>
    private async ValueTask<bool> NextAsync(CancellationToken aborted)
    {
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(aborted, lifetime.ApplicationStopping);
        try
        {
            await Task.Delay(TimeSpan.FromTicks(Interval.Ticks - (time.GetUtcNow().Ticks % Interval.Ticks)), time, either.Token);
            return true;
        }
        catch (OperationCanceledException) when (!aborted.IsCancellationRequested)
        {
            return false;
        }
    }

    private async Task WriteAsync(HttpContext context, string name, ReadOnlyMemory<byte> data)
    {
        using CancellationTokenSource limit = new(WriteLimit, time);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, context.RequestAborted);
        await context.Response.WriteAsync($"event: {name}\ndata: ", either.Token);
        await context.Response.Body.WriteAsync(data, either.Token);
        await context.Response.WriteAsync("\n\n", either.Token);
        await context.Response.Body.FlushAsync(either.Token);
    }
}

/// <summary>The answer of <c>/api/v1/config</c>.</summary>
internal sealed record SettingsState(IReadOnlyCollection<EffectiveSetting> Settings);
