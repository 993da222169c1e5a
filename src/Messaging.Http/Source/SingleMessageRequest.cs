using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Http.Source;

/// <summary>A request whose body is one message: read whole, handed in, answered after its settlement.</summary>
internal static class SingleMessageRequest
{
    // The first buffer of a body without a Content-Length.
    private const int UnknownLengthCapacity = 1_024;

    // The maximum memory that a Content-Length reserves; the rest of a larger body must arrive first.
    private const int LargestAnnouncedCapacity = 16 << 10;

    public static async Task HandleAsync(HttpContext context, HttpMessageSource source, HttpAnswers answers, string? coding)
    {
        long announced = context.Request.ContentLength ?? -1;
        HttpRefusal? refusal;
        if (!MessageIds.TryRead(context.Request.Headers, out string? id, out refusal)
            || !source.Headers.TryRead(context.Request.Headers, out IReadOnlyList<KeyValuePair<string, string>> attributes, out refusal)
            || (refusal = CheckLength(announced, source.Options)) is not null
            || !source.MayReceive(out refusal))
        {
            await answers.RefuseAsync(context, refusal);
            return;
        }

        (PooledBuffer? body, refusal) = await ReadAsync(context, source, (int)announced);
        if (coding is not null && body is not null)
        {
            PooledBuffer encoded = body;
            (body, refusal) = ContentCoding.DecodeWhole(coding, encoded, source, TooLarge(source.Options));
            encoded.Dispose();
        }

        SlotLease slot = default;
        if (body is not null && !source.TryReserve(out slot, out refusal))
        {
            body.Dispose();
            body = null;
        }

        if (body is not null)
        {
            HttpMessage message;
            string? hint = BatchHint.Of(body.WrittenSpan);
            using (slot)
            {
                message = source.HandIn(slot, body, id, line: 0, context.Request.Headers, attributes);
            }

            // Even if the connection closes, the message belongs to the route until it is settled.
            Settlement settlement = await message.SettledAsync();
            Task answering = answers.SettledAsync(context, message, settlement, source.Stores, hint);
            source.Return(message);
            await answering;
        }
        else if (refusal is not null)
        {
            await answers.RefuseAsync(context, refusal);
        }
    }

    private static HttpRefusal? CheckLength(long announced, HttpSourceOptions options) => announced switch
    {
        0 => HttpRefusal.Empty,
        _ when announced > options.MaxMessageBytes => TooLarge(options),
        _ => null,
    };

    /// <summary>Reads the whole body.</summary>
    /// <returns>The body or the refusal; neither when the connection was closed.</returns>
    public static async ValueTask<(PooledBuffer? Body, HttpRefusal? Refusal)> ReadAsync(HttpContext context, HttpMessageSource source, int announced)
    {
        using RequestBody request = new(context, source);
        PooledBuffer? body = null;
        long held = 0;
        try
        {
            bool isCompleted = false;
            while (!isCompleted)
            {
                ReadResult result = await request.ReadAsync(restart: false);
                ReadOnlySequence<byte> data = result.Buffer;
                isCompleted = result.IsCompleted;
                int length = (body?.Length ?? 0) + (int)data.Length;
                HttpRefusal? refusal = length > source.Options.MaxMessageBytes ? TooLarge(source.Options) : null;

                // Bytes count when they arrive: callers that announce much and send little must not block others.
                if (refusal is null && !source.Receiving.TryTake(data.Length))
                {
                    refusal = HttpRefusal.Memory;
                }

                if (refusal is not null)
                {
                    request.Reader.AdvanceTo(data.End);
                    return (null, refusal);
                }

                held += data.Length;
                if (!data.IsEmpty)
                {
                    body ??= source.Buffers.Rent(Math.Max(length, announced > 0 ? Math.Min(announced, LargestAnnouncedCapacity) : UnknownLengthCapacity));
                    foreach (ReadOnlyMemory<byte> piece in data)
                    {
                        body.Append(piece.Span);
                    }
                }

                request.Reader.AdvanceTo(data.End);
            }

            PooledBuffer? whole = body;
            body = null;
            return (whole, whole is null ? HttpRefusal.Empty : null);
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            HttpRefusal? refusal = request.Explain(exception, HttpRefusal.TooSlow);
            if (refusal is null)
            {
                request.Abort();
            }

            return (null, refusal);
        }
        finally
        {
            body?.Dispose();
            source.Receiving.Return(held);
        }
    }

    private static HttpRefusal TooLarge(HttpSourceOptions options) => new(
        StatusCodes.Status413PayloadTooLarge,
        "too-large",
        $"A message may have at most {options.MaxMessageBytes} bytes ({HttpSourceOptions.Section}:{nameof(HttpSourceOptions.MaxMessageBytes)}). The message "
            + "was not accepted; sending it again does not help.");
}
