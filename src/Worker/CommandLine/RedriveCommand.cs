using System.CommandLine;
using Microsoft.Extensions.Configuration;
using Worker.Hosting;

namespace Worker.CommandLine;

/// <summary>
/// <c>redrive</c>: sends dead letters back to where they came from, after their cause is mended. A letter is deleted only after
/// its message was taken; what is refused again stays.
/// </summary>
internal static class RedriveCommand
{
    public static Command Create(Func<ParseResult, IConfigurationRoot> readConfiguration)
    {
        Option<string> from = new("--from") { Description = "folder (dead letters of Channel, Http, Udp and TcpLines, sent to a running worker) or sqs (dead-letter queue, sent to the queue)", DefaultValueFactory = _ => "folder", HelpName = "store" };
        from.AcceptOnlyFromAmong("folder", "sqs");
        Option<string?> reason = new("--reason") { Description = "Only letters of this reason code", HelpName = "code" };
        Option<int?> max = CountOption.Create("--max", [], "Letters at most; all without it", int.MaxValue);
        Option<bool> list = new("--dry-run") { Description = "List the letters; send and delete nothing" };
        Option<string?> url = new("--url") { Description = "Address of the running worker; default Hosting:Url", HelpName = "address" };
        Option<string?> route = new("--route") { Description = "Route to send to; default the one the letter came from", HelpName = "name" };
        Command command = new("redrive", "Send dead letters back to their source. From a queue: redrive --from sqs --Sources:Sqs:Queue=my-queue") { from, reason, max, list, url, route };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            RedriveRequest request = new(parsed.GetValue(reason), parsed.GetValue(max) ?? int.MaxValue, parsed.GetValue(list), parsed.GetValue(url), parsed.GetValue(route));
            IConfigurationRoot configuration = readConfiguration(parsed);
            RedriveResult result = parsed.GetValue(from) == "sqs"
                ? await SqsRedrive.RunAsync(configuration, request, cancellationToken)
                : await FolderRedrive.RunAsync(configuration, request, cancellationToken);
            Console.Out.WriteLine(request.DryRun
                ? $"{result.Found:N0} dead letter(s) found; nothing was sent."
                : $"{result.Sent:N0} of {result.Found:N0} dead letter(s) went back.");
            if (result.FirstError is not null)
            {
                ConfigurationReport.WriteError($"{result.Found - result.Sent:N0} stay(s) where it was; the first: {result.FirstError}");
            }

            return result.FirstError is null ? ExitCodes.Success : ExitCodes.Incomplete;
        });
        return command;
    }
}
