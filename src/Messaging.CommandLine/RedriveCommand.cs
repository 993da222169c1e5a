using System.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Publishing;

namespace Quayside.Messaging.CommandLine;

/// <summary>
/// <c>redrive</c>: sends dead letters to their source again after the cause was fixed. A dead letter is deleted only after the source has accepted its
/// message; a refused one is kept. A run sends each dead letter that existed when it began once, and then ends.
/// </summary>
internal static class RedriveCommand
{
    /// <param name="context">Reads the configuration.</param>
    /// <param name="stores">What <c>--from</c> accepts, at least one; the first is the default.</param>
    public static Command Create(CommandContext context, RedriveCatalog stores)
    {
        Option<string> from = new("--from") { Description = stores.Description, DefaultValueFactory = _ => stores.Names[0], HelpName = "store" };
        UnknownArgument.AllowOnly(from, [.. stores.Names]);
        Option<string?> to =
            new("--to") { Description = "Move the dead letters of a queue to the folder DeadLetters:Path instead: folder", HelpName = "folder" };
        UnknownArgument.AllowOnly(to, [RedriveCatalog.Folder]);
        Option<string[]> id =
            new("--id") { Description = "Only the dead letter of a queue with this id, as --dry-run lists it; may be repeated", HelpName = "id" };
        Option<string?> reason =
            new("--reason") { Description = "Only dead letters with this reason code; an unknown code lists the existing codes (exit 64)", HelpName = "code" };
        Option<int?> max = CountOption.Create("--max", [], "Maximum dead letters to redrive; default all that exist when it begins", int.MaxValue);
        Option<int?> rate = CountOption.Create("--rate", [], "Maximum dead letters per second; default no limit", 10_000_000);
        Option<bool> list = new("--dry-run") { Description = "List the dead letters; send and delete nothing" };
        Option<bool> bodies = new("--bodies") { Description = "With --dry-run: also print the start of each body, up to 2 KiB" };
        Option<string?> url = new("--url") { Description = "Address of the running worker; default Hosting:Url", HelpName = "address" };
        Option<string?> route = new("--route") { Description = "Route to send to; default the one that dead-lettered the message", HelpName = "name" };
        Command command = new(
            "redrive",
            "Send dead letters to their source again, or move those of a queue to the folder. Each is deleted after it was accepted; exit 1 when one is kept. "
                + "A .body file in the folder may be edited first.")
        { from, to, id, reason, max, rate, list, bodies, url, route };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            RedriveRequest request = new(
                parsed.GetValue(reason), parsed.GetValue(max) ?? int.MaxValue, parsed.GetValue(list), parsed.GetValue(url), parsed.GetValue(route),
                parsed.GetValue(rate))
            {
                Bodies = parsed.GetValue(bodies),
                Names = parsed.GetValue(id) is { Length: > 0 } ids ? ids.ToHashSet(StringComparer.Ordinal) : null,
                ToFolder = parsed.GetValue(to) is not null,
            };
            string store = parsed.GetValue(from)!;
            if (request.Names is not null && store == RedriveCatalog.Folder)
            {
                throw new StartupException(
                    "--id is for the dead letters of a queue. Those of the folder have names: dead-letters list shows them, "
                        + "and dead-letters redrive --name NAME sends one.", ExitCodes.Usage);
            }

            if (request.Bodies && !request.DryRun)
            {
                throw new StartupException("--bodies needs --dry-run.", ExitCodes.Usage);
            }

            // A dry run only prints; a redrive goes on without a reader of its output.
            return request.DryRun ? await StandardOutput.RunAsync(RunAsync, cancellationToken) : await RunAsync(cancellationToken);

            async Task<int> RunAsync(CancellationToken end)
            {
                RedriveResult result = await stores.RunAsync(
                    store, context.ReadConfiguration(parsed), request, new CommandServices(TimeProvider.System, Console.Out, Console.Error), end);
                if (!end.IsCancellationRequested || cancellationToken.IsCancellationRequested)
                {
                    Write(result, request);
                }

                return result.IsUnknownReason ? ExitCodes.Usage : result.IsComplete ? ExitCodes.Success : ExitCodes.Incomplete;
            }
        });
        return command;
    }

    private static void Write(RedriveResult result, RedriveRequest request)
    {
        Console.Out.WriteLine(request.DryRun
            ? $"{result.Found:N0} dead letter(s) found; nothing was sent."
            : request.ToFolder ? $"{result.Sent:N0} of {result.Found:N0} dead letter(s) moved to the folder."
            : $"{result.Sent:N0} of {result.Found:N0} dead letter(s) redriven"
                + $"{(result.AgainCount == 0 ? string.Empty : $"; at least {result.AgainCount:N0} of these were dead-lettered again")}.");
        foreach (string note in result.Notes)
        {
            Console.Out.WriteLine(note);
        }

        WriteList(result.LeftCount, result.Left, $"dead letter(s) were not {(request.ToFolder ? "moved" : "redriven")} and are kept:");
        WriteList(result.AgainCount, result.Again, "message(s) were sent and dead-lettered again. Fix the cause, then redrive them again:");
        if (result.Ended is { } ended)
        {
            ConfigurationReport.WriteError(ended);
        }
    }

    private static void WriteList(int count, IReadOnlyList<string> listed, string what)
    {
        if (count == 0)
        {
            return;
        }

        ConfigurationReport.WriteError($"{count:N0} {what}");
        foreach (string line in listed)
        {
            Console.Error.WriteLine($"  - {line}");
        }

        if (count > listed.Count)
        {
            Console.Error.WriteLine($"  and {count - listed.Count:N0} more.");
        }
    }
}
