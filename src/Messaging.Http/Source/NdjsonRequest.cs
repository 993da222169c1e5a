using System.Buffers;
using System.IO.Pipelines;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Sources.Lines;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Http.Source;

/// <summary>
/// A request with one message per line. Lines are handed in while the rest arrives, with a limited number in flight. The answer follows the last settlement.
/// Threads: one; other threads settle the messages.
/// </summary>
internal sealed partial class NdjsonRequest : IDisposable
{
    private static readonly HttpRefusal NoSlot = new(
        StatusCodes.Status503ServiceUnavailable, "paused", "No slot became free in time. Send the lines from resendFrom on again after Retry-After seconds.",
        RetryAfterSeconds: 5);

    private readonly HttpContext _context;
    private readonly HttpMessageSource _source;
    private readonly HttpAnswers _answers;
    private readonly string? _id;
    private readonly IReadOnlyList<KeyValuePair<string, string>> _attributes;
    private readonly string? _coding;
    private readonly RequestBody _body;
    private readonly LineSplitter _splitter;
    private readonly NdjsonResults _results;
    private readonly Queue<HttpMessage> _window;

    private long _received;
    private long _held;

    private bool _accepted;

    // The first line to send again when the request ended early; 0 when all lines were read.
    private int _resendFrom;

    private NdjsonRequest(
        HttpContext context, HttpMessageSource source, HttpAnswers answers, string? id, IReadOnlyList<KeyValuePair<string, string>> attributes, string? coding)
    {
        _context = context;
        _source = source;
        _answers = answers;
        _id = id;
        _attributes = attributes;
        _coding = coding;
        _body = new RequestBody(context, source);
        _splitter = new LineSplitter(source.Buffers, source.Options.MaxMessageBytes);
        _results = new NdjsonResults(source.Buffers, answers, source.Stores);
        _window = new Queue<HttpMessage>(source.InFlightPerRequest);
    }

    // Fits an int, as Sources:Http:MaxRequestLines does.
    private int LineNumber => (int)_splitter.LineNumber;

    public static async Task HandleAsync(HttpContext context, HttpMessageSource source, HttpAnswers answers, string? coding)
    {
        HttpRefusal? refusal;
        if (!MessageIds.TryRead(context.Request.Headers, out string? id, out refusal)
            || !source.Headers.TryRead(context.Request.Headers, out IReadOnlyList<KeyValuePair<string, string>> attributes, out refusal)
            || (refusal = CheckLength(context.Request.ContentLength, source.Options)) is not null
            || !source.MayReceive(out refusal))
        {
            await answers.RefuseAsync(context, refusal);
            return;
        }

        using NdjsonRequest request = new(context, source, answers, id, attributes, coding);
        await request.RunAsync();
    }

    public void Dispose()
    {
        _source.Receiving.Return(_held);
        _results.Dispose();
        _splitter.Dispose();
        _encoded?.Dispose();
        _body.Dispose();
    }

    private async Task RunAsync()
    {
        HttpRefusal? end = null;
        bool isReadable = true;
        try
        {
            end = await TakeAllAsync();
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            end = _body.Explain(exception, HttpRefusal.TooSlow);
            isReadable = end is not null;
            StopAt(LineNumber + 1);
        }
        finally
        {
            // In any case: a message that was handed in belongs to the route until it is settled.
            await CollectAllAsync();

            // The last results are needed even if they do not fit.
            Hold();
        }

        if (isReadable)
        {
            await AnswerAsync(end);
        }
        else
        {
            _body.Abort();
        }
    }

    /// <returns>Null when every line was read; otherwise why the request ended early.</returns>
    private async ValueTask<HttpRefusal?> TakeAllAsync()
    {
        while (true)
        {
            ReadResult result = await _body.ReadAsync(restart: true);
            HttpRefusal? end;
            try
            {
                end = _coding is null ? await TakeAsync(result.Buffer, result.IsCompleted) : await TakeEncodedAsync(result.Buffer, result.IsCompleted);
            }
            finally
            {
                _body.Reader.AdvanceTo(result.Buffer.End);
            }

            if (end is not null || result.IsCompleted)
            {
                return end;
            }
        }
    }

    private async ValueTask<HttpRefusal?> TakeAsync(ReadOnlySequence<byte> data, bool isLast)
    {
        _received += data.Length;
        if (_received > _source.Options.MaxRequestBytes)
        {
            return StopAt(LineNumber + 1, TooLarge(_source.Options));
        }

        while (true)
        {
            LineKind found = Next(ref data, isLast, out PooledBuffer? line);
            HttpRefusal? end = LineNumber > _source.Options.MaxRequestLines ? TooManyLines(_source.Options)
                : (found is LineKind.Line or LineKind.TooLong) && !Hold(line) ? HttpRefusal.Memory
                : null;
            if (end is not null)
            {
                line?.Dispose();
                return StopAt(LineNumber, end);
            }

            switch (found)
            {
                case LineKind.Line:
                    end = await HandInAsync(line!);
                    Hold();
                    break;
                case LineKind.TooLong:
                    await CollectAllAsync();
                    _results.AddTooLarge(LineNumber);
                    break;
                default:
                    return isLast || Hold() ? null : StopAt(LineNumber + 1, HttpRefusal.Memory);
            }

            if (end is not null)
            {
                return StopAt(LineNumber, end);
            }
        }
    }

    /// <summary>The next line that is not blank; the last line may lack its line end (https://github.com/ndjson/ndjson-spec).</summary>
    private LineKind Next(ref ReadOnlySequence<byte> data, bool isLast, out PooledBuffer? line)
    {
        LineKind kind;
        ReadOnlySpan<byte> bytes;
        do
        {
            kind = _splitter.Next(ref data, out bytes);
        }
        while (kind == LineKind.Blank);

        if (kind == LineKind.None && isLast)
        {
            kind = _splitter.End(out bytes);
        }

        line = null;
        if (kind == LineKind.Line)
        {
            // A copy, because the request's bytes are released before the message is settled.
            line = _source.Buffers.Rent(bytes.Length);
            line.Append(bytes);
            _splitter.Dispose();
        }

        return kind;
    }

    private async ValueTask<HttpRefusal?> HandInAsync(PooledBuffer line)
    {
        PooledBuffer? owned = line;
        try
        {
            HttpRefusal? refusal;
            SlotLease reserved;
            if (_accepted)
            {
                (reserved, refusal) = await WaitForSlotAsync();
            }
            else
            {
                _source.TryReserve(out reserved, out refusal);
            }

            using SlotLease slot = reserved;
            if (refusal is null)
            {
                _accepted = true;
                HttpMessage message = _source.HandIn(slot, owned, _id, LineNumber, _context.Request.Headers, _attributes);
                owned = null;
                _window.Enqueue(message);
            }

            return refusal;
        }
        finally
        {
            owned?.Dispose();
        }
    }

    /// <summary>Waits for room in the request's window, then for a slot of the route.</summary>
    private async ValueTask<(SlotLease Slot, HttpRefusal? Refusal)> WaitForSlotAsync()
    {
        while (_window.Count >= _source.InFlightPerRequest)
        {
            await CollectAsync();
        }

        try
        {
            return (await _body.ReserveAsync(), null);
        }
        catch (OperationCanceledException exception)
        {
            // Null means that the caller has disconnected; the refusal is then not sent.
            return (default, _body.Explain(exception, NoSlot) ?? HttpRefusal.Stopping);
        }
    }

    private async ValueTask CollectAllAsync()
    {
        while (_window.Count > 0)
        {
            await CollectAsync();
        }
    }

    private async ValueTask CollectAsync()
    {
        HttpMessage message = _window.Dequeue();
        Settlement settlement = await message.SettledAsync();
        _results.Add(message, settlement);
        _source.Return(message);
    }

    /// <summary>Counts the bytes of the incomplete line, of a line that waits for a slot, and of the results towards MaxReceivingBytes.</summary>
    private bool Hold(PooledBuffer? line = null)
    {
        long change = _splitter.Kept + (line?.Length ?? 0) + _results.Length + (_encoded?.Length ?? 0) - _held;
        if (change != 0 && !_source.Receiving.TryTake(change))
        {
            return false;
        }

        _held += change;
        return true;
    }

    private HttpRefusal? StopAt(int line, HttpRefusal? end = null)
    {
        _resendFrom = line;
        return end;
    }

    private Task AnswerAsync(HttpRefusal? end)
    {
        if (_results.Count == 0 && _resendFrom <= 1)
        {
            return _answers.RefuseAsync(_context, end ?? HttpRefusal.Empty);
        }

        if (end is null && _results.NotStored > 0)
        {
            end = new HttpRefusal(
                StatusCodes.Status503ServiceUnavailable,
                "not-stored",
                "Some lines were not stored. Send the lines with the status not-stored again after Retry-After seconds.",
                HttpAnswers.RetryAfterSeconds(_results.RetryAfter));
        }

        HttpConnection.Note(
            _context, end?.Error ?? (_results.DeadLettered > 0 ? HttpResponses.DeadLettered : _results.TooLarge > 0 ? "too-large" : HttpResponses.Stored));
        int status = end?.Status ?? (_results.DeadLettered + _results.TooLarge > 0 ? StatusCodes.Status422UnprocessableEntity : StatusCodes.Status200OK);
        PooledBuffer answer = _source.Buffers.Rent();
        Utf8JsonWriter json = _answers.RentWriter(answer);
        json.WriteStartObject();
        if (end is not null)
        {
            HttpAnswers.WriteError(json, end);
            HttpAnswers.SetHeaders(_context, end.RetryAfterSeconds, end.Close);
        }

        if (_resendFrom > 0)
        {
            json.WriteNumber("resendFrom"u8, _resendFrom);
        }

        _results.WriteTo(json);
        json.WriteEndObject();
        _answers.ReturnWriter(json);

        // The answer has a copy of them, and the caller may read it slowly.
        _results.Dispose();
        return HttpAnswers.SendAsync(_context, status, answer);
    }

    private static HttpRefusal? CheckLength(long? announced, HttpSourceOptions options) => announced switch
    {
        0 => HttpRefusal.Empty,
        { } length when length > options.MaxRequestBytes => TooLarge(options),
        _ => null,
    };

    private static HttpRefusal TooLarge(HttpSourceOptions options) => new(
        StatusCodes.Status413PayloadTooLarge,
        "request-too-large",
        $"A request may have at most {options.MaxRequestBytes} bytes ({HttpSourceOptions.Section}:{nameof(HttpSourceOptions.MaxRequestBytes)}). Send the "
            + "remaining lines in further requests.");

    private static HttpRefusal TooManyLines(HttpSourceOptions options) => new(
        StatusCodes.Status413PayloadTooLarge,
        "too-many-lines",
        $"A request may have at most {options.MaxRequestLines} lines ({HttpSourceOptions.Section}:{nameof(HttpSourceOptions.MaxRequestLines)}). Send the lines "
            + "from resendFrom on in further requests.");
}
