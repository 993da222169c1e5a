using System.CommandLine;
using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Console.Api;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Console.Commands;

/// <summary><c>dead-letters</c>: what people do with the dead letters of a running worker, over its API.</summary>
internal static class DeadLettersCommand
{
    // The API's limit.
    private const int PageSize = 200;

    public static Command Create(CommandContext context)
    {
        Command command = new("dead-letters", "List, show, redrive and discard the dead letters in the folder of a running worker, over its API.");
        command.Add(CreateList(context));
        command.Add(CreateGroups(context));
        command.Add(CreateShow(context));
        command.Add(
            DeadLettersRun.Create(
                context, "redrive",
                "Send dead letters to their routes again; each is deleted after its message was stored, or accepted by the queue of its route.",
                "/api/v1/redrive"));
        command.Add(
            DeadLettersRun.Create(
                context, "discard", "Put dead letters aside: they no longer wait, and are deleted after DeadLetters:DiscardedDays.",
                "/api/v1/dead-letters/discard"));
        return command;
    }

    /// <summary>The option <c>--json</c>.</summary>
    public static Option<bool> CreateJson() => new("--json") { Description = "Print the API's JSON" };

    /// <summary>Prints an answer of the API as JSON.</summary>
    public static void WriteJson<T>(T answer, JsonTypeInfo<T> type) => System.Console.Out.WriteLine(JsonSerializer.Serialize(answer, type));

    /// <summary>The cause of dead letters: the reason, and the exception's type where one was thrown.</summary>
    public static string CauseOf(string reason, string? exceptionType) => UntrustedText.Shorten(exceptionType is null ? reason : $"{reason} {exceptionType}");

    private static Command CreateList(CommandContext context)
    {
        Option<string?> reason = CreateReason();
        Option<string?> route = new("--route") { Description = "Only those of this route", HelpName = "name" };
        Option<int?> max = CountOption.Create("--max", [], "Maximum dead letters to list, the newest first", DeadLetterIndex.Limit, 50);
        Option<bool> json = CreateJson();
        Command command = new("list", "List dead letters, the newest first: name, time, route, cause, description.") { reason, route, max, json };
        return WorkerConnection.Asking(command, context, async (worker, parsed, end) =>
        {
            DeadLetterFilter filter = new(parsed.GetValue(reason), parsed.GetValue(route));
            await CheckAsync(worker, filter, end);
            DeadLetterList found = await ListAsync(worker, filter, parsed.GetValue(max)!.Value, end);
            if (parsed.GetValue(json))
            {
                WriteJson(found, DeadLettersJson.Readable.DeadLetterList);
            }
            else
            {
                Write(found);
            }

            return ExitCodes.Success;
        });
    }

    private static Command CreateGroups(CommandContext context)
    {
        Option<bool> json = CreateJson();
        Command command = new("groups", "Count dead letters by reason and route, with the first and the last; the largest group first.") { json };
        return WorkerConnection.Asking(command, context, async (worker, parsed, end) =>
        {
            DeadLetterList found = await ReadAllAsync(worker, "?limit=1", end);
            if (parsed.GetValue(json))
            {
                WriteJson(found.Groups, DeadLettersJson.Readable.IReadOnlyListDeadLetterGroup);
                return ExitCodes.Success;
            }

            foreach (DeadLetterGroup group in found.Groups)
            {
                string times = $"{TimeOf(group.First.UtcDateTime)} to {TimeOf(group.Last.UtcDateTime)}";
                System.Console.Out.WriteLine(string.Create(
                    CultureInfo.InvariantCulture, $"{group.Count,9:N0}  {group.Route}  {UntrustedText.Shorten(group.Reason)}  {times}"));
            }

            WriteCount(found.Groups.Sum(static group => group.Count), "dead letter(s)", found);
            return ExitCodes.Success;
        });
    }

    private static Command CreateShow(CommandContext context)
    {
        Option<string> name = new("--name") { Description = "Its name, as list prints it", HelpName = "name", Required = true };
        Option<bool> body = new("--body") { Description = "Print only the body, byte by byte: its first 64 KB" };
        Option<bool> json = CreateJson();
        Command command = new("show", "Show one dead letter: record, attributes, exception, and the start of its body.") { name, body, json };
        return WorkerConnection.Asking(command, context, async (worker, parsed, end) =>
        {
            string query = $"?name={Uri.EscapeDataString(parsed.GetValue(name)!)}";
            if (parsed.GetValue(json))
            {
                WriteJson(await LetterAsync(), DeadLettersJson.Readable.DeadLetterState);
                return ExitCodes.Success;
            }

            byte[] start = await worker.ReadBytesAsync(HttpMethod.Get, $"/api/v1/dead-letters/body{query}", json: null, end);
            if (parsed.GetValue(body))
            {
                await using Stream output = System.Console.OpenStandardOutput();
                await output.WriteAsync(start, end);
            }
            else
            {
                Write(await LetterAsync(), start);
            }

            return ExitCodes.Success;

            Task<DeadLetterState> LetterAsync() =>
                worker.GetAsync($"/api/v1/dead-letters/letter{query}", DeadLettersJson.Readable.DeadLetterState, end);
        });
    }

    /// <summary>The option <c>--reason</c>.</summary>
    public static Option<string?> CreateReason() => new("--reason") { Description = "Only those with this reason code", HelpName = "code" };

    /// <summary>Refuses a reason that no dead letter has, and a route that neither one of them nor the worker has.</summary>
    /// <exception cref="StartupException">Names the nearest one.</exception>
    public static async Task CheckAsync(WorkerConnection worker, DeadLetterFilter filter, CancellationToken cancellationToken)
    {
        if ((filter.Reason ?? filter.Route) is null)
        {
            return;
        }

        DeadLetterList all = await ReadAllAsync(worker, "?limit=1", cancellationToken);
        UnknownArgument.Check("--reason", filter.Reason, [.. all.Reasons.Select(static reason => reason.Reason)]);
        if (filter.Route is not null)
        {
            WorkerState state = await worker.GetAsync("/api/v1/stats", ApiJson.Stats.WorkerState, cancellationToken);
            IEnumerable<string> routes = all.Groups.Select(static group => group.Route).Concat(state.Routes.Select(static route => route.Name));
            UnknownArgument.Check("--route", filter.Route, [.. routes.Distinct(StringComparer.Ordinal)]);
        }
    }

    private static async Task<DeadLetterList> ListAsync(WorkerConnection worker, DeadLetterFilter filter, int max, CancellationToken cancellationToken)
    {
        string query = string.Concat(
            new (string Name, string? Value)[] { ("reason", filter.Reason), ("route", filter.Route) }
                .Where(static part => !string.IsNullOrEmpty(part.Value)).Select(static part => $"&{part.Name}={Uri.EscapeDataString(part.Value!)}")
                .Prepend($"?limit={Math.Min(max, PageSize)}"));
        DeadLetterList page = await ReadAllAsync(worker, query, cancellationToken);
        List<DeadLetterState> letters = [.. page.Letters];
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
        foreach (DeadLetterState letter in found.Letters)
        {
            System.Console.Out.WriteLine(
                $"{letter.Name}  {TimeOf(letter.LastSeen)}  {letter.Route}  {CauseOf(letter.Reason, letter.ExceptionType)}  "
                    + $"{UntrustedText.Shorten(letter.Description)}");
        }

        WriteCount(found.Letters.Count, found.Next is null ? "dead letter(s)" : "dead letter(s) listed; --max lists more", found);
    }

    // To the other stream, so that the lines can be counted and cut.
    private static void WriteCount(int count, string what, DeadLetterList found) => System.Console.Error.WriteLine(string.Create(
        CultureInfo.InvariantCulture,
        $"{count:N0} {what}, in {UntrustedText.Shorten(found.Folder)}."
            + $"{(found.Truncated ? $" The folder has more than {DeadLetterIndex.Limit:N0}: the oldest are left out." : string.Empty)}"));

    private static void Write(DeadLetterState letter, byte[] start)
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
        Field("Group", letter.Group);
        Field("Deduplication", letter.DeduplicationId);
        foreach ((string key, string value) in letter.Attributes ?? new Dictionary<string, string>(StringComparer.Ordinal))
        {
            Field("Attribute", $"{key}: {value}");
        }

        Field("Exception", letter.ExceptionType);
        foreach (string line in (letter.Exception ?? string.Empty).Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            System.Console.Out.WriteLine($"  {UntrustedText.Shorten(line)}");
        }

        System.Console.Out.WriteLine(
            string.Create(
                CultureInfo.InvariantCulture,
                $"Body, {letter.BodyBytes:N0} bytes{(start.Length < letter.BodyBytes ? $"; the first {start.Length:N0}" : string.Empty)}:"));
        foreach (string line in UntrustedText.Lines(Encoding.UTF8.GetString(start)))
        {
            System.Console.Out.WriteLine(line);
        }
    }

    private static void Field(string title, string? value)
    {
        if (!string.IsNullOrEmpty(value))
        {
            System.Console.Out.WriteLine($"{title,-14} {UntrustedText.Shorten(value)}");
        }
    }

    private static string TimeOf(DateTime time) => time.ToString("yyyy-MM-ddTHH:mm:ssZ", CultureInfo.InvariantCulture);
}

/// <summary>The API's answers and requests. Another program's JSON is an error.</summary>
[JsonSerializable(typeof(DeadLetterList))]
[JsonSerializable(typeof(DeadLetterState))]
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
