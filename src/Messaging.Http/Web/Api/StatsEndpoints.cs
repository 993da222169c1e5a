using Messaging.Configuration;
using Messaging.Http.Source;
using Messaging.Routes;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;

namespace Messaging.Http.Web.Api;

/// <summary>What the page shows of the worker: its state now, its last 15 minutes, a stream of states, and its configuration. Threads: any.</summary>
internal sealed class StatsEndpoints(WorkerStats stats, WorkerHistory history, WorkerPlan plan, HttpAnswers answers, IHostApplicationLifetime lifetime, TimeProvider time)
{
    /// <summary>A watcher that cannot be written to for so long is dropped. What the kernel takes for one that reads nothing lasts longer.</summary>
    public static readonly TimeSpan WriteLimit = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private static readonly HttpRefusal TooMany = new(
        StatusCodes.Status503ServiceUnavailable, "too-many-watchers", $"{Watchers.Max} streams are open already. Close one, or ask /api/v1/stats now and then.", RetryAfterSeconds: 5);

    private readonly Watchers _watchers = new(time);

    /// <summary><c>GET /api/v1/stats</c>.</summary>
    public Task StatsAsync(HttpContext context) => ApiJson.SendAsync(context, stats.Get());

    /// <summary><c>GET /api/v1/history</c>.</summary>
    public Task HistoryAsync(HttpContext context) => ApiJson.SendAsync(context, ApiJson.Make(history.Write));

    /// <summary><c>GET /api/v1/config</c>.</summary>
    public Task ConfigAsync(HttpContext context) => ApiJson.SendAsync(context, ApiJson.Make(json =>
    {
        json.WriteStartObject();
        json.WriteStartArray("settings"u8);
        foreach (EffectiveSetting setting in plan.Effective)
        {
            json.WriteStartObject();
            json.WriteString("key"u8, setting.Key);
            json.WriteString("value"u8, setting.Value);
            json.WriteBoolean("isDefault"u8, setting.IsDefault);
            json.WriteString("description"u8, setting.Description);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }));

    /// <summary><c>GET /api/v1/events</c>: server-sent events, a state every second until the caller goes or the worker stops.</summary>
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
            // The watcher is gone, or reads no more: what is left of its answer is thrown away.
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
        using PeriodicTimer timer = new(Interval, time);
        do
        {
            await WriteAsync(context, "stats", stats.Get());
        }
        while (await NextAsync(timer, context.RequestAborted));

        await WriteAsync(context, "end", "{\"reason\":\"stopping\"}"u8.ToArray());
    }

    /// <returns>False when the worker stops.</returns>
    private async ValueTask<bool> NextAsync(PeriodicTimer timer, CancellationToken aborted)
    {
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(aborted, lifetime.ApplicationStopping);
        try
        {
            return await timer.WaitForNextTickAsync(either.Token);
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
