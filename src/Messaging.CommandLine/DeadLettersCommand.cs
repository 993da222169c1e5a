using System.CommandLine;
using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Http.Web.Api;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.CommandLine;

/// <summary><c>dead-letters</c>: what people do with the dead letters of a running worker, over its API.</summary>
internal static class DeadLettersCommand
{
    // The API's limit.
    private const int PageSize = 200;

    public static Command Create(CommandContext context)
    {
        Command command = new("dead-letters", "List, show, redrive, copy, discard and restore the dead letters in the folder of a running worker, over its API.");
        command.Add(CreateList(context));
        command.Add(CreateGroups(context));
        command.Add(CreateShow(context));
        command.Add(CreateCopy(context));
        command.Add(DeadLettersRun.Create(context, "redrive", "Send dead letters to their routes again; each is deleted after its message was stored, or accepted by the queue of its route.", "/api/v1/redrive"));
        command.Add(DeadLettersRun.Create(context, "discard", "Put dead letters aside: they no longer wait, and are deleted after DeadLetters:DiscardedDays.", "/api/v1/dead-letters/discard"));
        command.Add(DeadLettersRun.Create(context, "restore", "Let discarded dead letters wait again.", "/api/v1/dead-letters/restore"));
        return command;
    }

    /// <summary>The option <c>--json</c>.</summary>
    public static Option<bool> CreateJson() => new("--json") { Description = "Print the API's JSON" };

    /// <summary>Prints an answer of the API as JSON.</summary>
    public static void WriteJson<T>(T answer, JsonTypeInfo<T> type) => Console.Out.WriteLine(JsonSerializer.Serialize(answer, type));

    /// <summary>The cause of dead letters: the reason, and the exception's type where one was thrown.</summary>
    public static string CauseOf(string reason, string? exceptionType) => UntrustedText.Shorten(exceptionType is null ? reason : $"{reason} {exceptionType}");

    private static Command CreateList(CommandContext context)
    {
        DeadLetterFilterOptions filter = new();
        Option<bool> discarded = CreateDiscarded();
        Option<int?> max = CountOption.Create("--max", [], "Maximum dead letters to list, the newest first", DeadLetterIndex.Limit, 50);
        Option<bool> json = CreateJson();
        Option<string?> url = WorkerConnection.CreateOption();
        Command command = new("list", "List dead letters, the newest first: name, time, route, cause, description.") { discarded, max, json, url };
        filter.AddTo(command);
        command.SetAction(async (parsed, cancellationToken) =>
        {
            using WorkerConnection worker = WorkerConnection.To(parsed.GetValue(url), context.ReadConfiguration(parsed));
            return await StandardOutput.RunAsync(
                async end =>
                {
                    await CheckAsync(worker, filter.Read(parsed), parsed.GetValue(discarded), end);
                    DeadLetterList found = await ListAsync(worker, filter.Read(parsed), parsed.GetValue(discarded), parsed.GetValue(max)!.Value, end);
                    if (parsed.GetValue(json))
                    {
                        WriteJson(found, DeadLettersJson.Readable.DeadLetterList);
                    }
                    else
                    {
                        Write(found);
                    }

                    return ExitCodes.Success;
                },
                cancellationToken);
        });
        return command;
    }

    private static Command CreateGroups(CommandContext context)
    {
        Option<bool> discarded = CreateDiscarded();
        Option<bool> json = CreateJson();
        Option<string?> url = WorkerConnection.CreateOption();
        Command command = new("groups", "Count dead letters by cause: reason, exception, route and handler, with the first and the last; the largest group first.") { discarded, json, url };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            using WorkerConnection worker = WorkerConnection.To(parsed.GetValue(url), context.ReadConfiguration(parsed));
            return await StandardOutput.RunAsync(
                async end =>
                {
                    DeadLetterList found = await ReadAllAsync(worker, $"?limit=1{(parsed.GetValue(discarded) ? "&discarded=true" : string.Empty)}", end);
                    if (parsed.GetValue(json))
                    {
                        WriteJson(found.Groups, DeadLettersJson.Readable.IReadOnlyListDeadLetterGroup);
                        return ExitCodes.Success;
                    }

                    foreach (DeadLetterGroup group in found.Groups)
                    {
                        Console.Out.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{group.Count,9:N0}  {group.Route}  {group.Handler ?? DeadLetterFilter.NoException}  {CauseOf(group.Reason, group.ExceptionType)}  {TimeOf(group.First.UtcDateTime)} to {TimeOf(group.Last.UtcDateTime)}"));
                    }

                    WriteCount(found.Groups.Sum(static group => group.Count), "dead letter(s)", found);
                    return ExitCodes.Success;
                },
                cancellationToken);
        });
        return command;
    }

    private static Command CreateShow(CommandContext context)
    {
        Option<string> name = CreateName();
        Option<bool> discarded = CreateDiscarded();
        Option<bool> body = new("--body") { Description = "Print only the body, byte by byte: its first 64 KB" };
        Option<bool> json = CreateJson();
        Option<string?> url = WorkerConnection.CreateOption();
        Command command = new("show", "Show one dead letter: record, attributes, exception, and the start of its body.") { name, discarded, body, json, url };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            using WorkerConnection worker = WorkerConnection.To(parsed.GetValue(url), context.ReadConfiguration(parsed));
            string query = $"?name={Uri.EscapeDataString(parsed.GetValue(name)!)}{(parsed.GetValue(discarded) ? "&discarded=true" : string.Empty)}";
            return await StandardOutput.RunAsync(
                async end =>
                {
                    if (parsed.GetValue(json))
                    {
                        WriteJson(await worker.GetAsync($"/api/v1/dead-letters/letter{query}", DeadLettersJson.Readable.LetterState, end), DeadLettersJson.Readable.LetterState);
                        return ExitCodes.Success;
                    }

                    byte[] start = await worker.ReadBytesAsync(HttpMethod.Get, $"/api/v1/dead-letters/body{query}", json: null, end);
                    if (parsed.GetValue(body))
                    {
                        await using Stream output = Console.OpenStandardOutput();
                        await output.WriteAsync(start, end);
                        return ExitCodes.Success;
                    }

                    Write(await worker.GetAsync($"/api/v1/dead-letters/letter{query}", DeadLettersJson.Readable.LetterState, end), start);
                    return ExitCodes.Success;
                },
                cancellationToken);
        });
        return command;
    }

    private static Command CreateCopy(CommandContext context)
    {
        Option<string> name = CreateName();
        Option<string> file = new("--file") { Description = "The body of the copy; - for standard input", DefaultValueFactory = _ => MessageFile.StandardInput, HelpName = "file" };
        Option<string> note = new("--note") { Description = "Why, for those who look at the copy later", HelpName = "text", Required = true };
        Option<bool> json = CreateJson();
        Option<string?> url = WorkerConnection.CreateOption();
        Command command = new("copy", "Write a copy of a dead letter with another body (UTF-8), which a redrive by its name sends; the original stays.") { name, file, note, json, url };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            using WorkerConnection worker = WorkerConnection.To(parsed.GetValue(url), context.ReadConfiguration(parsed));
            CopyOrder order = new(parsed.GetValue(name), TextOf(parsed.GetValue(file)!), parsed.GetValue(note));
            CopyState copy = await worker.AskAsync(
                HttpMethod.Post, "/api/v1/dead-letters/copy", JsonSerializer.SerializeToUtf8Bytes(order, DeadLettersJson.Readable.CopyOrder), DeadLettersJson.Readable.CopyState, cancellationToken);
            if (parsed.GetValue(json))
            {
                WriteJson(copy, DeadLettersJson.Readable.CopyState);
            }
            else
            {
                Console.Out.WriteLine($"Copied to {copy.Name}. To send it: {PrintedCommand.Of($"dead-letters redrive --name {copy.Name}", worker.Address)}");
            }

            return ExitCodes.Success;
        });
        return command;
    }

    // A body that is not text would be changed by the API's JSON.
    private static string TextOf(string file)
    {
        try
        {
            return new UTF8Encoding(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true).GetString(MessageFile.Read(file));
        }
        catch (DecoderFallbackException exception)
        {
            throw new StartupException($"--file {file}: must be UTF-8. To send other bytes, change the .body file in the folder, then redrive it.", ExitCodes.Usage, exception);
        }
    }

    private static Option<string> CreateName() => new("--name") { Description = "Its name, as list prints it", HelpName = "name", Required = true };

    private static Option<bool> CreateDiscarded() => new("--discarded") { Description = "Those that were discarded and can be restored" };

    /// <summary>Refuses a reason that no dead letter has, and a route that neither one of them nor the worker has.</summary>
    /// <exception cref="StartupException">Names the nearest one.</exception>
    public static async Task CheckAsync(WorkerConnection worker, DeadLetterFilter filter, bool discarded, CancellationToken cancellationToken)
    {
        if ((filter.Reason ?? filter.Route) is null)
        {
            return;
        }

        DeadLetterList all = await ReadAllAsync(worker, $"?limit=1{(discarded ? "&discarded=true" : string.Empty)}", cancellationToken);
        UnknownArgument.Check("--reason", filter.Reason, [.. all.Reasons.Select(static reason => reason.Reason)]);
        if (filter.Route is not null)
        {
            WorkerState state = await worker.GetAsync("/api/v1/stats", WorkerStateJson.Default.WorkerState, cancellationToken);
            IEnumerable<string> routes = all.Groups.Select(static group => group.Route).Concat(state.Routes.Select(static route => route.Name));
            UnknownArgument.Check("--route", filter.Route, [.. routes.Distinct(StringComparer.Ordinal)]);
        }
    }

    private static async Task<DeadLetterList> ListAsync(WorkerConnection worker, DeadLetterFilter filter, bool discarded, int max, CancellationToken cancellationToken)
    {
        string query = $"?limit={Math.Min(max, PageSize)}{DeadLetterFilterOptions.QueryOf(filter)}{(discarded ? "&discarded=true" : string.Empty)}";
        DeadLetterList page = await ReadAllAsync(worker, query, cancellationToken);
        List<LetterState> letters = [.. page.Letters];
        while (letters.Count < max && page.Next is { } next)
        {
            page = await ReadAsync(worker, $"{query}&after={Uri.EscapeDataString(next)}", cancellationToken);
            letters.AddRange(page.Letters.Take(max - letters.Count));
        }

        return page with { Letters = letters };
    }

    /// <summary>The first page, once the worker has read every record.</summary>
    private static async Task<DeadLetterList> ReadAllAsync(WorkerConnection worker, string query, CancellationToken cancellationToken)
    {
        DeadLetterList page;
        do
        {
            page = await ReadAsync(worker, query, cancellationToken);
        }
        while (page.Unread > 0);

        return page;
    }

    private static Task<DeadLetterList> ReadAsync(WorkerConnection worker, string query, CancellationToken cancellationToken) =>
        worker.GetAsync($"/api/v1/dead-letters{query}", DeadLettersJson.Readable.DeadLetterList, cancellationToken);

    private static void Write(DeadLetterList found)
    {
        foreach (LetterState letter in found.Letters)
        {
            Console.Out.WriteLine($"{letter.Name}  {TimeOf(letter.LastSeen)}  {letter.Route}  {CauseOf(letter.Reason, letter.ExceptionType)}  {UntrustedText.Shorten(letter.Description)}");
        }

        WriteCount(found.Letters.Count, found.Next is null ? "dead letter(s)" : "dead letter(s) listed; --max lists more", found);
    }

    // To the other stream, so that the lines can be counted and cut.
    private static void WriteCount(int count, string what, DeadLetterList found) => Console.Error.WriteLine(string.Create(
        CultureInfo.InvariantCulture, $"{count:N0} {what}, in {UntrustedText.Shorten(found.Folder)}.{(found.Truncated ? $" The folder has more than {DeadLetterIndex.Limit:N0}: the oldest are left out." : string.Empty)}"));

    private static void Write(LetterState letter, byte[] start)
    {
        Field("Name", letter.Name);
        Field("Id", letter.Id);
        Field("Route", letter.Route);
        Field("Handler", letter.Handler);
        Field("Source", letter.Source);
        Field("Reason", letter.Reason);
        Field("Description", letter.Description);
        Field("Deliveries", letter.Attempts.ToString(CultureInfo.InvariantCulture));
        Field("First seen", TimeOf(letter.FirstSeen));
        Field("Last seen", TimeOf(letter.LastSeen));
        Field("Copy of", letter.CopyOf);
        Field("Note", letter.Note);
        Field("Group", letter.Group);
        Field("Deduplication", letter.DeduplicationId);
        foreach ((string key, string value) in letter.Attributes ?? new Dictionary<string, string>(StringComparer.Ordinal))
        {
            Field("Attribute", $"{key}: {value}");
        }

        Field("Exception", letter.ExceptionType);
        foreach (string line in (letter.Exception ?? string.Empty).Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            Console.Out.WriteLine($"  {UntrustedText.Shorten(line)}");
        }

        Console.Out.WriteLine(string.Create(CultureInfo.InvariantCulture, $"Body, {letter.BodyBytes:N0} bytes{(start.Length < letter.BodyBytes ? $"; the first {start.Length:N0}" : string.Empty)}:"));
        foreach (string line in UntrustedText.Lines(Encoding.UTF8.GetString(start)))
        {
            Console.Out.WriteLine(line);
        }
    }

    private static void Field(string title, string? value)
    {
        if (!string.IsNullOrEmpty(value))
        {
            Console.Out.WriteLine($"{title,-14} {UntrustedText.Shorten(value)}");
        }
    }

    private static string TimeOf(DateTime time) => time.ToString("yyyy-MM-ddTHH:mm:ssZ", CultureInfo.InvariantCulture);
}

/// <summary>The options that select dead letters, as the API's filter does.</summary>
internal sealed class DeadLetterFilterOptions
{
    private readonly Option<string?> _reason = new("--reason") { Description = "Only those with this reason code", HelpName = "code" };
    private readonly Option<string?> _exception = new("--exception") { Description = "Only those with an exception of this type; none for those without one", HelpName = "type" };
    private readonly Option<string?> _route = new("--route") { Description = "Only those of this route", HelpName = "name" };
    private readonly Option<string?> _handler = new("--handler") { Description = "Only those of this handler; none for those whose record does not tell", HelpName = "name" };
    private readonly Option<string?> _day = new("--day") { Description = "Only those of this day (UTC), such as 2026-01-31", HelpName = "day" };
    private readonly Option<string?> _search = new("--search") { Description = "Only those with this text in the id, the description, the exception's type or the first 64 KB of the body", HelpName = "text" };

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[_reason, _exception, _route, _handler, _day, _search])
        {
            command.Add(option);
        }
    }

    public DeadLetterFilter Read(ParseResult parsed) => new(parsed.GetValue(_reason), parsed.GetValue(_exception), parsed.GetValue(_route), parsed.GetValue(_day), parsed.GetValue(_search), parsed.GetValue(_handler));

    /// <summary>The parameters of a list, each preceded by <c>&amp;</c>.</summary>
    public static string QueryOf(DeadLetterFilter filter) => string.Concat(
        new (string Name, string? Value)[] { ("reason", filter.Reason), ("exception", filter.ExceptionType), ("route", filter.Route), ("handler", filter.Handler), ("day", filter.Day), ("search", filter.Search) }
            .Where(static part => !string.IsNullOrEmpty(part.Value)).Select(static part => $"&{part.Name}={Uri.EscapeDataString(part.Value!)}"));
}

/// <summary>The API's answers and requests. Another program's JSON is an error.</summary>
[JsonSerializable(typeof(DeadLetterList))]
[JsonSerializable(typeof(LetterState))]
[JsonSerializable(typeof(CopyOrder))]
[JsonSerializable(typeof(CopyState))]
[JsonSerializable(typeof(RedriveOrder))]
[JsonSerializable(typeof(RedriveState))]
internal sealed partial class DeadLettersJson : JsonSerializerContext
{
    /// <summary>Printed, never HTML: quotes and umlauts stay readable.</summary>
    public static readonly DeadLettersJson Readable = new(new JsonSerializerOptions
    {
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        RespectNullableAnnotations = true,
        RespectRequiredConstructorParameters = true,
        WriteIndented = true,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    });
}
