using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Http;

/// <summary>Writes answers as JSON with a Content-Length, so that the connection can be reused. Threads: any.</summary>
internal sealed class HttpAnswers(BufferPool buffers)
{
    // However long the sink is throttled, callers retry within the hour.
    private const int LongestRetryAfterSeconds = 3_600;

    private const string UnhandledException = "unhandled-exception";

    // Of a message that timed out: nothing was logged, and the description is the worker's own.
    private const string Cancelled = "System.OperationCanceledException";
    private const string TaskCancelled = "System.Threading.Tasks.TaskCanceledException";

    // A longer answer is sent in pieces; each waits until the caller reads.
    private const int PieceBytes = 64 << 10;

    // Answers are never HTML: quotes and umlauts stay readable.
    private static readonly JsonWriterOptions Json = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private readonly BoundedPool<Utf8JsonWriter> _writers = new(capacity: 64);

    /// <summary>Whole seconds, at least 1.</summary>
    public static int RetryAfterSeconds(TimeSpan delay) => (int)Math.Clamp(Math.Ceiling(delay.TotalSeconds), 1, LongestRetryAfterSeconds);

    /// <summary>The status of a completed message.</summary>
    /// <param name="stores">False on a route without a sink, where nothing may have been stored.</param>
    public static ReadOnlySpan<byte> CompleteStatus(bool stores) => stores ? "stored"u8 : "completed"u8;

    /// <summary>Answers a refused request.</summary>
    public Task RefuseAsync(HttpContext context, HttpRefusal refusal)
    {
        HttpConnection.Note(context, refusal.Error);
        PooledBuffer buffer = buffers.Rent();
        Utf8JsonWriter json = RentWriter(buffer);
        json.WriteStartObject();
        WriteError(json, refusal);
        json.WriteEndObject();
        ReturnWriter(json);
        SetHeaders(context, refusal.RetryAfterSeconds, refusal.Close);
        return SendAsync(context, refusal.Status, buffer);
    }

    /// <summary>Answers a single message: 200 stored or completed, 422 dead-lettered, 503 not stored.</summary>
    /// <param name="context">The request.</param>
    /// <param name="message">The message.</param>
    /// <param name="settlement">Its settlement.</param>
    /// <param name="stores">See <see cref="CompleteStatus"/>.</param>
    /// <param name="hint">What its caller probably meant, for a message that is dead-lettered; null without one.</param>
    public Task SettledAsync(HttpContext context, ReceivedMessage message, in Settlement settlement, bool stores, string? hint = null)
    {
        int status = StatusCodes.Status200OK;
        HttpConnection.Note(context, settlement.Kind switch
        {
            SettlementKind.Complete => HttpResponses.Stored,
            SettlementKind.DeadLetter => HttpResponses.DeadLettered,
            _ => HttpResponses.NotStored,
        });
        PooledBuffer buffer = buffers.Rent();
        Utf8JsonWriter json = RentWriter(buffer);
        json.WriteStartObject();
        json.WriteString("id"u8, message.SourceId.Span);
        switch (settlement.Kind)
        {
            case SettlementKind.Complete:
                json.WriteString("status"u8, CompleteStatus(stores));
                break;
            case SettlementKind.DeadLetter:
                status = StatusCodes.Status422UnprocessableEntity;
                json.WriteString("status"u8, "dead-lettered"u8);
                json.WriteString("reason"u8, settlement.Reason);
                json.WriteString("description"u8, DescriptionOf(settlement));
                if (hint is not null)
                {
                    json.WriteString("hint"u8, hint);
                }

                break;
            default:
                status = StatusCodes.Status503ServiceUnavailable;
                int seconds = RetryAfterSeconds(settlement.Delay);
                SetHeaders(context, seconds, close: false);
                WriteError(json, new HttpRefusal(status, "not-stored", $"{Sentence(DescriptionOf(settlement))} Send it again after Retry-After seconds."));
                if (HidesException(settlement))
                {
                    json.WriteString("reason"u8, UnhandledException);
                }

                break;
        }

        json.WriteEndObject();
        ReturnWriter(json);
        return SendAsync(context, status, buffer);
    }

    /// <summary>
    /// What the caller may read about a message that was not stored. Never the text of an exception, which may tell anything: the log has it with the
    /// message's id. The text of a <see cref="DeadLetterException"/> is written for the sender, like the description of a settlement.
    /// </summary>
    public static string? DescriptionOf(in Settlement settlement) => HidesException(settlement)
        ? "An exception was thrown while the message was processed; the worker's log has it under the message's id."
        : PathFreeText.Of(settlement.Description);

    /// <summary>Rents a writer for an answer of several parts; return it with <see cref="ReturnWriter"/>.</summary>
    public Utf8JsonWriter RentWriter(IBufferWriter<byte> target)
    {
        if (_writers.TryTake(out Utf8JsonWriter? writer))
        {
            writer.Reset(target);
            return writer;
        }

        return new Utf8JsonWriter(target, Json);
    }

    /// <summary>Flushes the writer and returns it to the pool.</summary>
    public void ReturnWriter(Utf8JsonWriter writer)
    {
        writer.Flush();
        _writers.Return(writer);
    }

    public static void WriteError(Utf8JsonWriter json, HttpRefusal refusal)
    {
        json.WriteString("error"u8, refusal.Error);
        json.WriteString("message"u8, refusal.Message);
    }

    public static void SetHeaders(HttpContext context, int retryAfterSeconds, bool close)
    {
        if (retryAfterSeconds > 0)
        {
            context.Response.Headers.RetryAfter = retryAfterSeconds.ToString();
        }

        // Only HTTP/1 has this header.
        if (close && HttpProtocol.IsHttp11(context.Request.Protocol))
        {
            context.Response.Headers.Connection = "close";
        }
    }

    /// <summary>Sends the answer and disposes the buffer. A caller that has disconnected is no error.</summary>
    public static Task SendAsync(HttpContext context, int status, PooledBuffer buffer)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = "application/json";
        context.Response.ContentLength = buffer.Length;
        if (buffer.Length > PieceBytes)
        {
            return SendPiecesAsync(context, buffer);
        }

        context.Response.BodyWriter.Write(buffer.WrittenSpan);
        buffer.Dispose();
        return FlushAsync(context);
    }

    private static bool HidesException(in Settlement settlement) => settlement.ExceptionType is { } type && type != typeof(DeadLetterException).FullName
        && (settlement.Exception is not null || type is not (Cancelled or TaskCancelled));

    /// <summary>The description with a full stop, which sinks omit.</summary>
    private static string Sentence(string? description) => description switch
    {
        null or "" => "The message was not stored.",
        [.., '.' or '!' or '?' or '…'] => description,
        _ => $"{description}.",
    };

    private static async Task FlushAsync(HttpContext context)
    {
        try
        {
            await context.Response.BodyWriter.FlushAsync(CancellationToken.None);
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            // The caller has disconnected; without an answer it sends the message again.
        }
    }

    private static async Task SendPiecesAsync(HttpContext context, PooledBuffer buffer)
    {
        try
        {
            for (int sent = 0; sent < buffer.Length; sent += PieceBytes)
            {
                ReadOnlyMemory<byte> piece = buffer.WrittenMemory[sent..];
                await context.Response.BodyWriter.WriteAsync(piece.Length > PieceBytes ? piece[..PieceBytes] : piece, CancellationToken.None);
            }
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            // As above.
        }
        finally
        {
            buffer.Dispose();
        }
    }
}
