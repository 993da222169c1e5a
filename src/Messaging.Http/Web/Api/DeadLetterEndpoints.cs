using System.Globalization;
using System.Text;
using System.Text.Json.Serialization;
using Messaging.DeadLetters;
using Microsoft.AspNetCore.Http;

namespace Messaging.Http.Web.Api;

/// <summary>
/// Serves the dead letters of the folder: a list with filters, a record, and the start of a body. A request examines at most the newest
/// <see cref="MaxListed"/>, and few requests read the disk concurrently. Threads: any.
/// </summary>
internal sealed class DeadLetterEndpoints(IDeadLetterStore store, HttpAnswers answers) : IDisposable
{
    /// <summary>The maximum number of dead letters that one request examines.</summary>
    public const int MaxListed = 10_000;

    /// <summary>The maximum number of bytes of a body that are shown or searched.</summary>
    public const int MaxBodyBytes = 64 << 10;

    private const int DefaultLimit = 50;
    private const int MaxLimit = 200;

    // Limits of untrusted texts; a record may have megabytes of them.
    private const int MaxText = 2_000;
    private const int MaxAttributes = 100;
    private const int Readers = 2;
    private const int MaxWaiting = 16;

    private static readonly HttpRefusal NotFound = new(
        StatusCodes.Status404NotFound, "no-such-dead-letter", "There is no dead letter with this name; it may have been redriven or deleted.");

    private static readonly HttpRefusal AfterIsGone = new(
        StatusCodes.Status410Gone, "after-is-gone", "The dead letter that the parameter after names is not in the list: it was redriven or deleted, newer ones displaced it, or reason and day leave it out. Start again without after.");

    private static readonly HttpRefusal Busy = new(
        StatusCodes.Status503ServiceUnavailable, "too-many-readers", "Too many requests are reading the dead letters. Send it again after Retry-After seconds.", RetryAfterSeconds: 1);

    private readonly IDeadLetterReader? _reader = store as IDeadLetterReader;
    private readonly SemaphoreSlim _reading = new(Readers);
    private int _waiting;

    public void Dispose() => _reading.Dispose();

    /// <summary><c>GET /api/v1/dead-letters</c>.</summary>
    public Task ListAsync(HttpContext context) => ReadAsync(context, reader =>
    {
        IQueryCollection query = context.Request.Query;
        string[] names = [.. reader.EnumerateNames().Take(MaxListed + 1)];
        string[] wanted = Filter(names, query["reason"].ToString(), query["day"].ToString().Replace("-", string.Empty, StringComparison.Ordinal));
        string after = query["after"].ToString();
        int from = after.Length == 0 ? 0 : Array.IndexOf(wanted, after) + 1;
        return from == 0 && after.Length > 0
            ? answers.RefuseAsync(context, AfterIsGone)
            : ApiJson.SendAsync(context, ListOf(context, reader, names, wanted.AsSpan(from)), ApiJson.Readable.DeadLetterList);
    });

    /// <summary><c>GET /api/v1/dead-letters/letter?name=</c>.</summary>
    public Task LetterAsync(HttpContext context) => ReadAsync(context, reader =>
    {
        string name = context.Request.Query["name"].ToString();
        return reader.ReadRecord(name) is { } letter
            ? ApiJson.SendAsync(context, StateOf(reader, name, letter, whole: true), ApiJson.Readable.LetterState)
            : answers.RefuseAsync(context, NotFound);
    });

    /// <summary><c>GET /api/v1/dead-letters/body?name=</c>.</summary>
    public Task BodyAsync(HttpContext context) => ReadAsync(context, reader =>
    {
        if (reader.ReadBodyStart(context.Request.Query["name"].ToString(), MaxBodyBytes, out long length) is not { } start)
        {
            return answers.RefuseAsync(context, NotFound);
        }

        context.Response.Headers["X-Body-Bytes"] = length.ToString(CultureInfo.InvariantCulture);
        context.Response.Headers.ContentDisposition = "attachment";
        return ApiJson.SendAsync(context, start, contentType: "application/octet-stream");
    });

    private async Task ReadAsync(HttpContext context, Func<IDeadLetterReader, Task> read)
    {
        if (_reader is null)
        {
            await answers.RefuseAsync(context, new HttpRefusal(StatusCodes.Status404NotFound, "dead-letters-elsewhere", "The API cannot read this worker's dead-letter store."));
            return;
        }

        if (Interlocked.Increment(ref _waiting) > Readers + MaxWaiting)
        {
            Interlocked.Decrement(ref _waiting);
            await answers.RefuseAsync(context, Busy);
            return;
        }

        try
        {
            await _reading.WaitAsync(context.RequestAborted);
        }
        catch (OperationCanceledException)
        {
            Interlocked.Decrement(ref _waiting);
            throw;
        }

        try
        {
            await read(_reader);
        }
        catch (Exception exception) when (exception is UnauthorizedAccessException or IOException && !context.Response.HasStarted)
        {
            await answers.RefuseAsync(context, new HttpRefusal(StatusCodes.Status503ServiceUnavailable, "dead-letters-unreadable", exception.Message));
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
            _reading.Release();
        }
    }

    private static string[] Filter(string[] names, string reason, string day) =>
        [.. names.Take(MaxListed).Where(name => (reason.Length == 0 || PartOf(0)(name) == reason) && (day.Length == 0 || PartOf(1)(name) == day))];

    private static DeadLetterList ListOf(HttpContext context, IDeadLetterReader reader, string[] names, ReadOnlySpan<string> wanted)
    {
        IQueryCollection query = context.Request.Query;
        string search = query["search"].ToString();
        int limit = int.TryParse(query["limit"], CultureInfo.InvariantCulture, out int asked) ? Math.Clamp(asked, 1, MaxLimit) : DefaultLimit;
        List<LetterState> letters = [];
        string? next = null;
        foreach (string name in wanted)
        {
            context.RequestAborted.ThrowIfCancellationRequested();
            if (Read(reader, name) is not { } letter || (search.Length > 0 && !Matches(reader, name, letter, search)))
            {
                continue;
            }

            if (letters.Count == limit)
            {
                next = letters[^1].Name;
                break;
            }

            letters.Add(StateOf(reader, name, letter, whole: false));
        }

        return new DeadLetterList(
            reader.Location,
            Available: true,
            names.Length > MaxListed,
            [.. names.Take(MaxListed).CountBy(PartOf(0)).OrderByDescending(static pair => pair.Value).Select(static pair => new ReasonCount(pair.Key, pair.Value))],
            letters,
            next);
    }

    // A damaged record is listed with the facts in its name, not left out.
    private static DeadLetter? Read(IDeadLetterReader reader, string name)
    {
        try
        {
            return reader.ReadRecord(name);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return new DeadLetter
            {
                SourceId = PartOf(2)(name),
                Source = string.Empty,
                Route = string.Empty,
                Reason = PartOf(0)(name),
                Description = exception.Message,
                Attempts = 0,
                FirstSeen = default,
                LastSeen = default,
            };
        }
    }

    private static bool Matches(IDeadLetterReader reader, string name, DeadLetter letter, string search) =>
        letter.SourceId.Contains(search, StringComparison.OrdinalIgnoreCase)
        || letter.Description.Contains(search, StringComparison.OrdinalIgnoreCase)
        || Encoding.UTF8.GetString(BodyOf(reader, name, MaxBodyBytes, out _)).Contains(search, StringComparison.OrdinalIgnoreCase);

    private static byte[] BodyOf(IDeadLetterReader reader, string name, int maxBytes, out long length)
    {
        try
        {
            return reader.ReadBodyStart(name, maxBytes, out length) ?? [];
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            length = 0;
            return [];
        }
    }

    private static LetterState StateOf(IDeadLetterReader reader, string name, DeadLetter letter, bool whole)
    {
        _ = BodyOf(reader, name, maxBytes: 0, out long length);
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
            Exception = whole ? letter.Exception : null,
            Group = whole && letter.Group is { } group ? Cut(group) : null,
            DeduplicationId = whole && letter.DeduplicationId is { } deduplicationId ? Cut(deduplicationId) : null,
            Attributes = whole ? AttributesOf(letter) : null,
        };
    }

    // A record that was edited by hand may have no attributes.
    private static Dictionary<string, string> AttributesOf(DeadLetter letter)
    {
        Dictionary<string, string> attributes = new(StringComparer.Ordinal);
        foreach ((string key, string? value) in letter.Attributes?.Take(MaxAttributes) ?? [])
        {
            attributes[Cut(key)] = Cut(value ?? string.Empty);
        }

        return attributes;
    }

    private static string Cut(string text) => text.Length <= MaxText ? text : $"{text[..MaxText]}…";

    private static Func<string, string> PartOf(int index) => name => name.Split('/') is { Length: 3 } parts ? parts[index] : string.Empty;
}

/// <summary>The answer of <c>/api/v1/dead-letters</c>.</summary>
/// <param name="Folder">Where they are.</param>
/// <param name="Available">True: the folder can be read.</param>
/// <param name="Truncated">True when there are more than were examined.</param>
/// <param name="Reasons">The reasons of all that were examined.</param>
/// <param name="Letters">Those that were asked for, the newest first.</param>
/// <param name="Next">The value of <c>after</c> for the rest; null without one.</param>
internal sealed record DeadLetterList(string Folder, bool Available, bool Truncated, IReadOnlyList<ReasonCount> Reasons, IReadOnlyList<LetterState> Letters, string? Next);

internal sealed record ReasonCount(string Reason, int Count);

/// <summary>A dead letter, its texts cut to a limit; exception, group, deduplication id and attributes only where it was asked for by name.</summary>
internal sealed record LetterState(
    string Name, string Id, string Route, string Source, string Reason, string Description, int Attempts, DateTime FirstSeen, DateTime LastSeen, bool IsPart, long BodyBytes, string? ExceptionType)
{
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Exception { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Group { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? DeduplicationId { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyDictionary<string, string>? Attributes { get; init; }
}
