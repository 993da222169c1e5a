using System.Buffers;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Http.Web.Api;

/// <summary>Streams messages of a route as they are settled, without their secrets, for a time. Threads: any.</summary>
internal sealed class TailEndpoints(TailOptions options, IRouteControl routes, ChangeLog changes, HttpAnswers answers, IHostApplicationLifetime lifetime, TimeProvider time)
{
    private const int MaxTails = 4;

    private static readonly HttpRefusal Off = new(
        StatusCodes.Status409Conflict, "tail-off", "Live tails are off: they show messages to all who have the token. Set Hosting:TailPerSecond, for example to 10.");

    private static readonly HttpRefusal TooMany = new(
        StatusCodes.Status503ServiceUnavailable, "too-many-tails", $"{MaxTails} live tails run. End one, or wait for the end of one.", RetryAfterSeconds: 5);

    private static readonly JsonWriterOptions Json = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private readonly SecretMask _mask = new(options.TailMask);
    private int _running;

    /// <summary><c>GET /api/v1/routes/tail?route=&amp;perSecond=&amp;seconds=</c>.</summary>
    public async Task TailAsync(HttpContext context)
    {
        string route = context.Request.Query["route"].ToString();
        ChangeLog.Describe(context, $"tail route {route}");
        int maxSeconds = (int)options.TailDuration.TotalSeconds;
        if (options.TailPerSecond == 0)
        {
            await answers.RefuseAsync(context, Off);
            return;
        }

        if (!TryRead(context, "perSecond", options.TailPerSecond, out int perSecond) || !TryRead(context, "seconds", maxSeconds, out int seconds))
        {
            await answers.RefuseAsync(context, new HttpRefusal(
                StatusCodes.Status400BadRequest, "malformed-request", $"perSecond must be 1 to {options.TailPerSecond} (Hosting:TailPerSecond), and seconds 1 to {maxSeconds} (Hosting:TailDuration)."));
            return;
        }

        if (Interlocked.Increment(ref _running) > MaxTails)
        {
            Interlocked.Decrement(ref _running);
            await answers.RefuseAsync(context, TooMany);
            return;
        }

        try
        {
            using MessageTail tail = routes.Tail(route, perSecond, options.TailMessageBytes);
            changes.Add(context, $"tail route {route} for {seconds} s", "started");
            StrongBox<long> shown = new();
            try
            {
                await StreamAsync(context, tail, TimeSpan.FromSeconds(seconds), shown);
            }
            catch (Exception exception) when (exception is OperationCanceledException or IOException)
            {
                // The reader has disconnected or reads no more.
                context.Abort();
            }

            ChangeLog.Describe(context, $"tail route {route}: {shown.Value} message(s) shown");
        }
        catch (ArgumentException) when (!context.Response.HasStarted)
        {
            await answers.RefuseAsync(context, RouteEndpoints.Unknown);
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }

    private static bool TryRead(HttpContext context, string name, int max, out int value)
    {
        string text = context.Request.Query[name].ToString();
        value = max;
        return text.Length == 0 || (int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value) && value >= 1 && value <= max);
    }

    private async Task StreamAsync(HttpContext context, MessageTail tail, TimeSpan duration, StrongBox<long> shown)
    {
        using CancellationTokenSource over = new(duration, time);
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(over.Token, context.RequestAborted, lifetime.ApplicationStopping);
        ArrayBufferWriter<byte> line = new();
        context.Response.ContentType = "application/x-ndjson";

        // The headers, so that the reader knows that the tail runs.
        await WriteAsync(context, line);
        try
        {
            while (await tail.Messages.WaitToReadAsync(end.Token))
            {
                while (!end.IsCancellationRequested && tail.Messages.TryRead(out TailedMessage? message))
                {
                    Write(line, message);
                    await WriteAsync(context, line);
                    shown.Value++;
                }
            }
        }
        catch (OperationCanceledException) when (!context.RequestAborted.IsCancellationRequested)
        {
            // The time is over, or the worker stops.
        }

        using (Utf8JsonWriter json = new(line, Json))
        {
            json.WriteStartObject();
            json.WriteString("end"u8, lifetime.ApplicationStopping.IsCancellationRequested ? "stopping"u8 : "time"u8);
            json.WriteNumber("shown"u8, shown.Value);
            json.WriteNumber("skipped"u8, tail.Skipped);
            json.WriteNumber("dropped"u8, tail.Dropped);
            json.WriteEndObject();
        }

        await WriteAsync(context, line);
    }

    private void Write(ArrayBufferWriter<byte> line, TailedMessage message)
    {
        using Utf8JsonWriter json = new(line, Json);
        json.WriteStartObject();
        json.WriteString("time"u8, message.Time.UtcDateTime);
        json.WriteString("source"u8, message.Source);
        json.WriteString("id"u8, message.Id);
        json.WriteNumber("delivery"u8, message.DeliveryCount);
        json.WriteString("result"u8, message.Result switch
        {
            SettlementKind.Complete => "completed"u8,
            SettlementKind.DeadLetter => "dead-lettered"u8,
            _ => "abandoned"u8,
        });
        json.WriteString("reason"u8, message.Reason);
        json.WriteNumber("seconds"u8, ApiJson.Rounded(message.Took.TotalSeconds));
        json.WriteStartObject("attributes"u8);
        foreach ((string name, string value) in message.Attributes)
        {
            json.WriteString(name, _mask.Mask(name, value));
        }

        json.WriteEndObject();
        json.WriteNumber("bodyBytes"u8, message.BodyBytes);
        json.WritePropertyName("body"u8);
        bool isWhole = _mask.Write(json, message.Body.Span, message.Body.Length == message.BodyBytes);
        json.WriteBoolean("cut"u8, message.IsCut || !isWhole);
        json.WriteEndObject();
    }

    private async Task WriteAsync(HttpContext context, ArrayBufferWriter<byte> line)
    {
        using CancellationTokenSource limit = new(StatsEndpoints.WriteLimit, time);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, context.RequestAborted);
        if (line.WrittenCount > 0)
        {
            line.Write("\n"u8);
            await context.Response.Body.WriteAsync(line.WrittenMemory, either.Token);
            line.ResetWrittenCount();
        }

        await context.Response.Body.FlushAsync(either.Token);
    }
}
