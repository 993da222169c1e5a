using System.CommandLine;
using System.Diagnostics;
using Messaging.Hosting;
using Messaging.Publishing;
using Microsoft.Extensions.Configuration;
using Pipeline.Buffers;

namespace Worker.CommandLine;

/// <summary><c>publish</c>: sends generated messages to a source of a worker that runs elsewhere.</summary>
internal static class PublishCommand
{
    public const string Name = "publish";

    /// <param name="readConfiguration">Reads the configuration of a command.</param>
    /// <param name="senders">What <c>--to</c> accepts, at least one; the first is the default.</param>
    public static Command Create(Func<ParseResult, IConfigurationRoot> readConfiguration, SenderCatalog senders)
    {
        Option<int?> count = CountOption.Create("--count", ["-n"], "Messages to send", 100_000_000, defaultValue: 1_000);
        Option<string> to = new("--to") { Description = $"Where to: {senders.Description}", DefaultValueFactory = _ => senders.Names[0], HelpName = "source" };
        to.AcceptOnlyFromAmong([.. senders.Names]);
        Option<string?> url = new("--url") { Description = "Address of the running worker; default Hosting:Url", HelpName = "address" };
        Option<string?> route = new("--route") { Description = "Route to send to, where the worker has several", HelpName = "name" };
        Option<int?> rate = CountOption.Create("--rate", [], "Messages a second at most; without it as many as are taken", 10_000_000);
        Command command = new(Name, "Send generated messages to a worker's source") { count, to, rate, url, route };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            using IMessageSender sender = await senders.OpenAsync(
                parsed.GetValue(to)!, readConfiguration(parsed), parsed.GetValue(route), parsed.GetValue(url), new CommandServices(TimeProvider.System, Console.Out, Console.Error), cancellationToken);
            return await RunAsync(sender, parsed.GetValue(count)!.Value, parsed.GetValue(rate), cancellationToken);
        });
        return command;
    }

    /// <summary>The message of an index, as the demo makes it.</summary>
    public static OutgoingMessage Generate(int index)
    {
        string id = MessageGenerator.NewId(TimeProvider.System);
        using PooledBuffer body = BufferPool.Shared.Rent(512);
        MessageGenerator.Write(body, index, id, TimeProvider.System.GetUtcNow());
        return new OutgoingMessage(id, body.WrittenSpan.ToArray());
    }

    private static async Task<int> RunAsync(IMessageSender sender, int count, int? rate, CancellationToken cancellationToken)
    {
        Stopwatch watch = Stopwatch.StartNew();
        PublishResult result = await PublishRun.SendAsync(sender, Generate, count, rate, cancellationToken);
        Console.Out.WriteLine($"{result.Sent:N0} message(s) {sender.Accepted} {sender.Target} in {watch.Elapsed.TotalSeconds:N2} s ({result.Sent / watch.Elapsed.TotalSeconds:N0}/s).");
        if (result.FirstError is null)
        {
            return ExitCodes.Success;
        }

        ConfigurationReport.WriteError($"{count - result.Sent:N0} message(s) were not taken; the first: {result.FirstError}");
        return ExitCodes.Incomplete;
    }
}
