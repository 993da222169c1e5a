using System.Globalization;
using System.Text;
using Microsoft.AspNetCore.Http;
using Quayside.Messaging.DeadLetters;

namespace Quayside.Messaging.Http.Web.Api;

/// <summary>
/// Serves the dead letters of the folder: a list with filters and groups, a record, the start of a body, and a copy with another body. Few requests
/// read the disk concurrently, and each for a limited time. Threads: any.
/// </summary>
internal sealed class DeadLetterEndpoints : IDisposable
{
    /// <summary>The maximum number of bytes of a body that are shown.</summary>
    public const int MaxBodyBytes = 64 << 10;

    private const int DefaultLimit = 50;
    private const int MaxLimit = 200;
    private const int MaxGroups = 100;

    // Begins the value of after while bodies are searched.
    private const string InBodies = "body:";

    // Limits of untrusted texts; a record may have megabytes of them.
    private const int MaxText = 2_000;
    private const int MaxAttributes = 100;

    // Of a body, in a list: enough to tell one from others.
    private const int MaxStart = 200;
    private const int Readers = 2;
    private const int MaxWaiting = 16;
    private const int MaxEditBytes = 4 << 20;

    // Of one answer: for reading new records, and for searching.
    private static readonly TimeSpan ReadingTime = TimeSpan.FromMilliseconds(400);
    private static readonly TimeSpan SearchTime = TimeSpan.FromMilliseconds(400);

    // The index is forgotten this long after the last request.
    private static readonly TimeSpan Kept = TimeSpan.FromMinutes(15);

    private static readonly HttpRefusal NotFound = new(
        StatusCodes.Status404NotFound, "no-such-dead-letter", "There is no dead letter with this name; it may have been redriven or deleted.");

    private static readonly HttpRefusal AfterIsGone = new(
        StatusCodes.Status410Gone, "after-is-gone", "The dead letter that the parameter after names is not in the list: it was redriven or deleted, newer ones displaced it, or the filter leaves it out. Start again without after.");

    private static readonly HttpRefusal Busy = new(
        StatusCodes.Status503ServiceUnavailable, "too-many-readers", "Too many requests are reading the dead letters. Send it again after Retry-After seconds.", RetryAfterSeconds: 1);

    private static readonly HttpRefusal Unchanged = new(
        StatusCodes.Status409Conflict, "copy-is-unchanged", "The dead letter has this body already. Redrive it, or send another body.");

    private static readonly HttpRefusal Elsewhere = new(
        StatusCodes.Status404NotFound, "dead-letters-elsewhere", "The API cannot read this worker's dead-letter store, or cannot change it.");

    private static readonly HttpRefusal Malformed = new(
        StatusCodes.Status400BadRequest, "malformed-request", "Send JSON with name, body (text) and note (why, at most 500 characters), such as {\"name\":\"reason/day/id\",\"body\":\"{}\",\"note\":\"quantity corrected\"}, with Content-Type: application/json, at most 4 MB.");

    private readonly IDeadLetterReader? _reader;
    private readonly HttpAnswers _answers;
    private readonly TimeProvider _time;
    private readonly SemaphoreSlim _reading = new(Readers);
    private readonly ITimer _forget;
    private DeadLetterIndex? _waitingLetters;
    private DeadLetterIndex? _discarded;
    private int _requests;

    public DeadLetterEndpoints(IDeadLetterStore store, HttpAnswers answers, TimeProvider time)
    {
        _reader = store as IDeadLetterReader;
        _answers = answers;
        _time = time;
        _forget = time.CreateTimer(static state => ((DeadLetterEndpoints)state!).Forget(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>The store's dead letters as something that can be changed; null where they cannot.</summary>
    public IDeadLetterEditor? Editor => _reader as IDeadLetterEditor;

    public void Dispose()
    {
        _forget.Dispose();
        _reading.Dispose();
    }

    /// <summary>The index of the dead letters that wait, or of those that were discarded.</summary>
    public DeadLetterIndex? IndexOf(bool discarded)
    {
        _forget.Change(Kept, Timeout.InfiniteTimeSpan);
        return !discarded ? _reader is null ? null : _waitingLetters ??= new DeadLetterIndex(_reader, _time)
            : Editor is null ? null : _discarded ??= new DeadLetterIndex(Editor.Discarded, _time);
    }

    /// <summary>Makes the next request list the store again.</summary>
    public void Changed()
    {
        _waitingLetters?.Invalidate();
        _discarded?.Invalidate();
    }

    /// <summary><c>GET /api/v1/dead-letters</c>.</summary>
    public Task ListAsync(HttpContext context) => ReadAsync(context, (reader, index) =>
    {
        IQueryCollection query = context.Request.Query;
        DeadLetterFilter filter = new(query["reason"], query["exception"], query["route"], query["day"], query["search"], query["handler"]);
        DeadLetterView view = index.Read(ReadingTime, context.RequestAborted);
        string after = query["after"].ToString();
        bool inBodies = after.StartsWith(InBodies, StringComparison.Ordinal);
        string name = inBodies ? after[InBodies.Length..] : after;
        IEnumerable<ListedDeadLetter> rest = view.Letters.Where(filter.Covers);
        if (after.Length > 0)
        {
            // By name: the list may have changed.
            rest = rest.SkipWhile(letter => letter.Name != name);
            if (!rest.Any())
            {
                return _answers.RefuseAsync(context, AfterIsGone);
            }

            rest = rest.Skip(1);
        }

        return ApiJson.SendAsync(context, ListOf(context, reader, index, view, inBodies ? [] : rest, inBodies ? rest : view.Letters.Where(filter.Covers), filter), ApiJson.Readable.DeadLetterList);
    });

    /// <summary><c>GET /api/v1/dead-letters/letter?name=</c>.</summary>
    public Task LetterAsync(HttpContext context) => ReadAsync(context, (reader, index) =>
    {
        string name = context.Request.Query["name"].ToString();
        return reader.ReadRecord(name) is { } letter
            ? ApiJson.SendAsync(context, StateOf(index, name, letter, whole: true), ApiJson.Readable.LetterState)
            : _answers.RefuseAsync(context, NotFound);
    });

    /// <summary><c>GET /api/v1/dead-letters/body?name=</c>.</summary>
    public Task BodyAsync(HttpContext context) => ReadAsync(context, (reader, _) =>
    {
        if (reader.ReadBodyStart(context.Request.Query["name"].ToString(), MaxBodyBytes, out long length) is not { } start)
        {
            return _answers.RefuseAsync(context, NotFound);
        }

        context.Response.Headers["X-Body-Bytes"] = length.ToString(CultureInfo.InvariantCulture);
        context.Response.Headers.ContentDisposition = "attachment";
        return ApiJson.SendAsync(context, start, contentType: "application/octet-stream");
    });

    /// <summary><c>POST /api/v1/dead-letters/copy</c>: a copy with another body, which a redrive can send.</summary>
    public async Task CopyAsync(HttpContext context)
    {
        if (Editor is not { } editor)
        {
            await _answers.RefuseAsync(context, Elsewhere);
            return;
        }

        if (await ApiJson.TryReadAsync(context, ApiJson.Default.CopyOrder, MaxEditBytes) is not { Name: not null, Body: not null, Note: { Length: > 0 and <= 500 } } order)
        {
            await _answers.RefuseAsync(context, Malformed);
            return;
        }

        try
        {
            if (await editor.CopyAsync(order.Name, Encoding.UTF8.GetBytes(order.Body), order.Note, context.RequestAborted) is not { } name)
            {
                await _answers.RefuseAsync(context, NotFound);
                return;
            }

            if (name == order.Name)
            {
                await _answers.RefuseAsync(context, Unchanged);
                return;
            }

            Changed();
            ChangeLog.Describe(context, $"copy a dead letter with another body ({order.Note}): {order.Name} as {name}");
            await ApiJson.SendAsync(context, new CopyState(name), ApiJson.Readable.CopyState, StatusCodes.Status201Created);
        }
        catch (Exception exception) when (exception is UnauthorizedAccessException or IOException && !context.Response.HasStarted)
        {
            await _answers.RefuseAsync(context, new HttpRefusal(StatusCodes.Status503ServiceUnavailable, "dead-letters-unreadable", exception.Message));
        }
    }

    private void Forget() => (_waitingLetters, _discarded) = (null, null);

    private async Task ReadAsync(HttpContext context, Func<IDeadLetterReader, DeadLetterIndex, Task> read)
    {
        bool discarded = context.Request.Query["discarded"] == "true";
        if (IndexOf(discarded) is not { } index)
        {
            await _answers.RefuseAsync(context, Elsewhere);
            return;
        }

        if (Interlocked.Increment(ref _requests) > Readers + MaxWaiting)
        {
            Interlocked.Decrement(ref _requests);
            await _answers.RefuseAsync(context, Busy);
            return;
        }

        try
        {
            await _reading.WaitAsync(context.RequestAborted);
        }
        catch (OperationCanceledException)
        {
            Interlocked.Decrement(ref _requests);
            throw;
        }

        try
        {
            await read(discarded ? Editor!.Discarded : _reader!, index);
        }
        catch (Exception exception) when (exception is UnauthorizedAccessException or IOException && !context.Response.HasStarted)
        {
            await _answers.RefuseAsync(context, new HttpRefusal(StatusCodes.Status503ServiceUnavailable, "dead-letters-unreadable", exception.Message));
        }
        finally
        {
            Interlocked.Decrement(ref _requests);
            _reading.Release();
        }
    }

    /// <param name="context">The request.</param>
    /// <param name="reader">The store.</param>
    /// <param name="index">Its index.</param>
    /// <param name="view">What is known.</param>
    /// <param name="records">Those of the filter whose records are still to be looked at.</param>
    /// <param name="bodies">Those whose bodies are still to be searched, after that.</param>
    /// <param name="filter">The filter.</param>
    private DeadLetterList ListOf(
        HttpContext context, IDeadLetterReader reader, DeadLetterIndex index, DeadLetterView view, IEnumerable<ListedDeadLetter> records, IEnumerable<ListedDeadLetter> bodies, DeadLetterFilter filter)
    {
        int limit = int.TryParse(context.Request.Query["limit"], CultureInfo.InvariantCulture, out int asked) ? Math.Clamp(asked, 1, MaxLimit) : DefaultLimit;
        List<LetterState> letters = [];
        string? next = null;
        foreach (ListedDeadLetter letter in records.Where(filter.IsInRecord))
        {
            if (letters.Count == limit)
            {
                next = letters[^1].Name;
                break;
            }

            letters.Add(StateOf(index, letter.Name, letter.Record, whole: false));
        }

        long started = _time.GetTimestamp();
        string? last = null;
        foreach (ListedDeadLetter letter in next is null && !string.IsNullOrEmpty(filter.Search) ? bodies.Where(letter => !filter.IsInRecord(letter)) : [])
        {
            context.RequestAborted.ThrowIfCancellationRequested();
            if (last is not null && (letters.Count == limit || _time.GetElapsedTime(started) > SearchTime))
            {
                next = InBodies + last;
                break;
            }

            last = letter.Name;
            if (index.IsInBody(filter, letter))
            {
                letters.Add(StateOf(index, letter.Name, letter.Record, whole: false));
            }
        }

        return new DeadLetterList(
            reader.Location,
            Available: true,
            view.IsMore,
            [.. view.Groups.GroupBy(static group => group.Reason).Select(static groups => new ReasonCount(groups.Key, groups.Sum(static group => group.Count))).OrderByDescending(static reason => reason.Count)],
            letters,
            next,
            view.Letters.Count(filter.Covers),
            view.Unread,
            Editor?.DiscardedDays,
            [.. view.Groups.Take(MaxGroups)]);
    }

    private static LetterState StateOf(DeadLetterIndex index, string name, DeadLetter letter, bool whole)
    {
        byte[] start = index.BodyOf(name, whole ? 0 : MaxStart, out long length);
        return new LetterState(
            name,
            Cut(letter.SourceId),
            letter.Route,
            letter.Source,
            Cut(letter.Reason),
            Cut(OneLineText.Of(letter.Description)!),
            letter.Attempts,
            letter.FirstSeen.UtcDateTime,
            letter.LastSeen.UtcDateTime,
            letter.IsPart,
            length,
            letter.ExceptionType)
        {
            Handler = letter.Handler,
            BodyStart = TextOf(start),
            Exception = whole ? letter.Exception : null,
            Group = whole && letter.Group is { } group ? Cut(group) : null,
            DeduplicationId = whole && letter.DeduplicationId is { } deduplicationId ? Cut(deduplicationId) : null,
            Attributes = whole ? AttributesOf(letter) : null,
            CopyOf = letter.CopyOf,
            Note = letter.Note is { } note ? Cut(note) : null,
        };
    }

    // Null for no text. The last character may be cut.
    private static string? TextOf(byte[] start)
    {
        string text = Encoding.UTF8.GetString(start);
        return text.Length > 0 && text.IndexOf((char)Rune.ReplacementChar.Value) is var bad && (bad < 0 || bad == text.Length - 1) ? OneLineText.Of(text) : null;
    }

    // A record that was edited by hand may have no attributes. System properties have the names by which keys ask for them.
    private static Dictionary<string, string> AttributesOf(DeadLetter letter)
    {
        Dictionary<string, string> attributes = new(StringComparer.Ordinal);
        foreach ((string key, string? value) in (letter.SystemProperties ?? new Dictionary<string, string>()).Select(static property => KeyValuePair.Create($"@{property.Key}", property.Value))
            .Concat(letter.Attributes ?? new Dictionary<string, string>()).Take(MaxAttributes))
        {
            attributes[Cut(key)] = Cut(value ?? string.Empty);
        }

        return attributes;
    }

    private static string Cut(string text) => text.Length <= MaxText ? text : $"{text[..MaxText]}…";
}
