using System.Buffers;
using System.CommandLine;
using System.Diagnostics;
using Quayside.Messaging.CommandLine.Telemetry;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.CommandLine;

/// <summary><c>publish</c>: sends messages to a source of a running worker.</summary>
internal static class PublishCommand
{
    /// <param name="context">Reads the configuration.</param>
    /// <param name="senders">What <c>--to</c> accepts, at least one; the first is the default.</param>
    /// <param name="handlers">Without a file, the first that can generate messages does so.</param>
    public static Command Create(CommandContext context, SenderCatalog senders, IReadOnlyList<IHandlerFeature> handlers)
    {
        ISampleFeature? samples = handlers.OfType<ISampleFeature>().FirstOrDefault();
        Option<int?> count = CountOption.Create("--count", ["-n"], "Messages to send", 100_000_000, defaultValue: 1_000);
        Option<string> to =
            new("--to") { Description = $"Destination: {senders.Description}", DefaultValueFactory = _ => senders.Names[0], HelpName = "source" };
        UnknownArgument.AllowOnly(to, [.. senders.Names]);
        Option<string?> file = new(
            "--file",
            "-f")
        {
            Description = $"Body of every message; {MessageFile.StandardInput} for standard "
                + $"input{(samples is null ? string.Empty : "; default generated messages")}",
            HelpName = "file",
            Required = samples is null
        };
        Option<string?> url = new("--url") { Description = "Address of the running worker; default Hosting:Url", HelpName = "address" };
        Option<string?> route = new("--route") { Description = "Route to send to, if the worker has several", HelpName = "name" };
        Option<string[]> group = new("--group")
        {
            Description = "Group of the messages (MessageGroupId of SQS: FIFO and fair queues; session of Service Bus); several are used in turn",
            HelpName = "id"
        };
        Option<string?> deduplication = new("--deduplication-id")
        {
            Description = "By what the queue recognises a message that was sent twice (MessageDeduplicationId of FIFO queues, message "
                + "id of Service Bus); every message has it, so a queue that recognises them keeps one; default the message's id",
            HelpName = "id"
        };
        Option<KeyValuePair<string, string>[]> attribute = AttributeOption.Create(
            "An attribute of every message (message attribute of SQS, application property of Service Bus, header of HTTP); may be given several times");
        Option<int?> rate = CountOption.Create("--rate", [], "Maximum messages per second; default no limit", 10_000_000);
        Command command = new("publish", $"Send {(samples is null ? string.Empty : "generated ")}messages to a worker's source")
            { count, to, file, group, deduplication, attribute, rate, url, route };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            GeneratedMessages messages = new(parsed.GetValue(file) is { } name ? Repeat(MessageFile.Read(name)) : samples!.WriteSample, TimeProvider.System);
            // Disposed after the sender: it sends the remaining spans.
            using IDisposable? export = OtlpExport.StartTraces();
            using IMessageSender sender = await senders.OpenAsync(
                parsed.GetValue(to)!, context.ReadConfiguration(parsed), parsed.GetValue(route), parsed.GetValue(url),
                new CommandServices(TimeProvider.System, Console.Out, Console.Error), cancellationToken);
            string[] groups = parsed.GetValue(group) ?? [];
            if (groups.Length > 0 && !sender.SendsGroups)
            {
                throw new StartupException(
                    $"publish --to {parsed.GetValue(to)} sends no groups: leave out --group, or send to a queue of SQS.", ExitCodes.Usage);
            }

            string? deduplicationId = parsed.GetValue(deduplication);
            if (deduplicationId is not null && !sender.SendsDeduplicationIds)
            {
                throw new StartupException(
                    $"publish --to {parsed.GetValue(to)} sends no deduplication ids: leave out --deduplication-id, "
                        + "or send to a FIFO queue of SQS or to Service Bus.", ExitCodes.Usage);
            }

            KeyValuePair<string, string>[] attributes = parsed.GetValue(attribute) ?? [];
            foreach ((string attributeName, string value) in attributes)
            {
                if (sender.CheckAttribute(attributeName, value) is { } problem)
                {
                    throw new StartupException(
                        $"publish --to {parsed.GetValue(to)} cannot send the attribute {UntrustedText.Shorten(attributeName)}: {problem}.", ExitCodes.Usage);
                }
            }

            OutgoingMessage Generate(int index) => messages.Create(index) with
            {
                Group = groups.Length == 0 ? null : groups[index % groups.Length],
                DeduplicationId = deduplicationId,
                Attributes = attributes,
            };
            return await RunAsync(sender, Generate, parsed.GetValue(count)!.Value, parsed.GetValue(rate), cancellationToken);
        });
        return command;
    }

    private static Action<IBufferWriter<byte>, int, string, DateTimeOffset> Repeat(byte[] body) => (destination, _, _, _) => destination.Write(body);

    private static async Task<int> RunAsync(
        IMessageSender sender, Func<int, OutgoingMessage> generate, int count, int? rate, CancellationToken cancellationToken)
    {
        Stopwatch watch = Stopwatch.StartNew();
        PublishResult result = await PublishRun.SendAsync(sender, generate, count, rate, cancellationToken);
        Console.Out.WriteLine(
            $"{result.Sent:N0} message(s) {sender.Accepted} {sender.Target} in {watch.Elapsed.TotalSeconds:N2} s "
                + $"({result.Sent / watch.Elapsed.TotalSeconds:N0}/s).");
        if (result.IsComplete)
        {
            return ExitCodes.Success;
        }

        ConfigurationReport.WriteError(
            $"{count - result.Sent:N0} message(s) were not confirmed, and may have arrived nevertheless where no answer came; the first error: "
                + $"{result.FirstError ?? "none was reported."}");
        return sender.HasNoSuchRoute ? ExitCodes.Usage : ExitCodes.Incomplete;
    }
}
