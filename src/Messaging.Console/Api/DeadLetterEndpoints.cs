using System.Globalization;
using System.Text;
using Microsoft.AspNetCore.Http;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Http;

namespace Quayside.Messaging.Console.Api;

/// <summary>
/// Serves the dead letters of the folder: a list by reason and route, a record, and the start of a body. Few requests read the disk concurrently, and
/// each for a limited time. Threads: any.
/// </summary>
internal sealed class DeadLetterEndpoints : IDisposable
{
    /// <summary>The maximum number of bytes of a body that are shown.</summary>
    public const int MaxBodyBytes = 64 << 10;

    private const int DefaultLimit = 50;
    private const int MaxLimit = 200;
    private const int MaxGroups = 100;

    // Limits of untrusted texts; a record may have megabytes of them.
    private const int MaxText = 2_000;
    private const int MaxAttributes = 100;

    // Of a body, in a list: enough to tell one from others.
    private const int MaxStart = 200;
    private const int Readers = 2;
    private const int MaxWaiting = 16;

    // Of one answer, for reading new records.
    private static readonly TimeSpan ReadingTime = TimeSpan.FromMilliseconds(400);

    // The index is forgotten this long after the last request.
    private static readonly TimeSpan Kept = TimeSpan.FromMinutes(15);

    private static readonly HttpRefusal NotFound = new(
        StatusCodes.Status404NotFound, "no-such-dead-letter", "There is no dead letter with this name; it may have been redriven or deleted.");

    private static readonly HttpRefusal AfterIsGone = new(
        StatusCodes.Status410Gone, "after-is-gone",
        "The dead letter that the parameter after names is not in the list: it was redriven or deleted, newer ones displaced it, "
            + "or the filter leaves it out. Start again without after.");

    private static readonly HttpRefusal Busy = new(
        StatusCodes.Status503ServiceUnavailable, "too-many-readers", "Too many requests are reading the dead letters. Send it again after Retry-After seconds.",
        RetryAfterSeconds: 1);

    private static readonly HttpRefusal Elsewhere = new(
        StatusCodes.Status404NotFound, "dead-letters-elsewhere", "The API cannot read this worker's dead-letter store.");

    private readonly IDeadLetterReader? _reader;
    private readonly HttpAnswers _answers;
    private readonly TimeProvider _time;
    private readonly SemaphoreSlim _reading = new(Readers);
    private readonly ITimer _forget;
    private DeadLetterIndex? _index;
    private int _requests;

    public DeadLetterEndpoints(IDeadLetterStore store, HttpAnswers answers, TimeProvider time)
    {
        _reader = store as IDeadLetterReader;
        _answers = answers;
        _time = time;
        _forget = time.CreateTimer(static state => ((DeadLetterEndpoints)state!).Forget(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>The store, where its dead letters can be discarded; null where they cannot.</summary>
    public IDeadLetterEditor? Editor => _reader as IDeadLetterEditor;

    public void Dispose()
    {
        _forget.Dispose();
        _reading.Dispose();
    }

    /// <summary>Makes the next request list the store again.</summary>
    public void Changed() => _index?.Invalidate();

    /// <summary><c>GET /api/v1/dead-letters</c>.</summary>
    public Task ListAsync(HttpContext context) => ReadAsync(context, (reader, index) =>
    {
        IQueryCollection query = context.Request.Query;
        DeadLetterFilter filter = new(query["reason"], query["route"]);
        DeadLetterView view = index.Read(ReadingTime, context.RequestAborted);
        string after = query["after"].ToString();
        IEnumerable<ListedDeadLetter> rest = view.Letters.Where(filter.Covers);
        if (after.Length > 0)
        {
            // By name: the list may have changed.
            rest = rest.SkipWhile(letter => letter.Name != after);
            if (!rest.Any())
            {
                return _answers.RefuseAsync(context, AfterIsGone);
            }

            rest = rest.Skip(1);
        }

        return ApiJson.SendAsync(context, ListOf(context, reader, index, view, rest, filter), ApiJson.Readable.DeadLetterList);
    });

    /// <summary><c>GET /api/v1/dead-letters/letter?name=</c>.</summary>
    public Task LetterAsync(HttpContext context) => ReadAsync(context, (reader, index) =>
    {
        string name = context.Request.Query["name"].ToString();
        return reader.ReadRecord(name) is { } letter
            ? ApiJson.SendAsync(context, StateOf(index, name, letter, whole: true), ApiJson.Readable.DeadLetterState)
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

    private void Forget() => _index = null;

    private async Task ReadAsync(HttpContext context, Func<IDeadLetterReader, DeadLetterIndex, Task> read)
    {
        if (_reader is not { } reader)
        {
            await _answers.RefuseAsync(context, Elsewhere);
            return;
        }

        _forget.Change(Kept, Timeout.InfiniteTimeSpan);
        DeadLetterIndex index = _index ??= new DeadLetterIndex(reader, _time);

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
            await read(reader, index);
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

    private DeadLetterList ListOf(
        HttpContext context, IDeadLetterReader reader, DeadLetterIndex index, DeadLetterView view, IEnumerable<ListedDeadLetter> rest, DeadLetterFilter filter)
    {
        int limit = int.TryParse(context.Request.Query["limit"], CultureInfo.InvariantCulture, out int asked) ? Math.Clamp(asked, 1, MaxLimit) : DefaultLimit;
        List<DeadLetterState> letters = [];
        string? next = null;
        foreach (ListedDeadLetter letter in rest)
        {
            if (letters.Count == limit)
            {
                next = letters[^1].Name;
                break;
            }

            letters.Add(StateOf(index, letter.Name, letter.Record, whole: false));
        }

        return new DeadLetterList(
            reader.Location,
            Available: true,
            view.IsMore,
            [
                .. view.Groups.GroupBy(static group => group.Reason)
                    .Select(static groups => new ReasonCount(groups.Key, groups.Sum(static group => group.Count)))
                    .OrderByDescending(static reason => reason.Count),
            ],
            letters,
            next,
            view.Letters.Count(filter.Covers),
            view.Unread,
            Editor?.DiscardedDays,
            [.. view.Groups.Take(MaxGroups)]);
    }

    private static DeadLetterState StateOf(DeadLetterIndex index, string name, DeadLetter letter, bool whole)
    {
        byte[] start = index.BodyOf(name, whole ? 0 : MaxStart, out long length);
        return new DeadLetterState(
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
        };
    }

    // Null for no text. The last character may be cut.
    private static string? TextOf(byte[] start)
    {
        string text = Encoding.UTF8.GetString(start);
        return text.Length > 0 && text.IndexOf((char)Rune.ReplacementChar.Value) is var bad && (bad < 0 || bad == text.Length - 1)
            ? OneLineText.Of(text)
            : null;
    }

    // A record that was edited by hand may have no attributes. System properties have the names by which keys ask for them.
    private static Dictionary<string, string> AttributesOf(DeadLetter letter)
    {
        Dictionary<string, string> attributes = new(StringComparer.Ordinal);
        foreach ((string key, string? value) in (letter.SystemProperties ?? new Dictionary<string, string>())
            .Select(static property => KeyValuePair.Create($"@{property.Key}", property.Value))
                .Concat(letter.Attributes ?? new Dictionary<string, string>()).Take(MaxAttributes))
        {
            attributes[Cut(key)] = Cut(value ?? string.Empty);
        }

        return attributes;
    }

    private static string Cut(string text) => text.Length <= MaxText ? text : $"{text[..MaxText]}…";
}
