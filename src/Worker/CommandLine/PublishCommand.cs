using System.CommandLine;
using System.Diagnostics;
using Microsoft.Extensions.Configuration;
using Pipeline.Buffers;
using Worker.Hosting;
using Worker.Sources.ServiceBus;

namespace Worker.CommandLine;

/// <summary><c>publish</c>: sends generated messages to a source of a worker that runs elsewhere.</summary>
internal static class PublishCommand
{
    public static Command Create(Func<ParseResult, IConfigurationRoot> readConfiguration)
    {
        Option<int?> count = CountOption.Create("--count", ["-n"], "Messages to send", 100_000_000, defaultValue: 1_000);
        Option<string> to = new("--to") { Description = "Where to: http or channel (both POST to a running worker), sqs or servicebus (straight into the queue)", DefaultValueFactory = _ => "http", HelpName = "source" };
        to.AcceptOnlyFromAmong("http", "channel", "sqs", "servicebus");
        Option<string?> url = new("--url") { Description = "Address of the running worker; default Hosting:Url", HelpName = "address" };
        Option<string?> route = new("--route") { Description = "Route to send to, where the worker has several", HelpName = "name" };
        Command command = new("publish", "Send generated messages to a worker's source. Into a queue: publish --to sqs --Sources:Sqs:Queue=my-queue") { count, to, url, route };
        command.SetAction((parsed, cancellationToken) => RunAsync(
            readConfiguration(parsed),
            parsed.GetValue(count)!.Value,
            parsed.GetValue(to)!,
            parsed.GetValue(url),
            parsed.GetValue(route),
            cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(IConfigurationRoot configuration, int count, string to, string? url, string? route, CancellationToken cancellationToken)
    {
        using IMessageSender sender = to switch
        {
            "sqs" => await SqsSender.CreateAsync(configuration, route, cancellationToken),
            "servicebus" => await ServiceBusSender.CreateAsync(configuration, route, ServiceBusBuild.RequireConnector(), cancellationToken),
            _ => HttpSender.Create(configuration, url, route),
        };
        Stopwatch watch = Stopwatch.StartNew();
        PublishResult result = await SendAsync(sender, count, cancellationToken);
        Console.Out.WriteLine($"{result.Sent:N0} message(s) {sender.Accepted} {sender.Target} in {watch.Elapsed.TotalSeconds:N2} s ({result.Sent / watch.Elapsed.TotalSeconds:N0}/s).");
        if (result.FirstError is null)
        {
            return ExitCodes.Success;
        }

        ConfigurationReport.WriteError($"{count - result.Sent:N0} message(s) were not taken; the first: {result.FirstError}");
        return ExitCodes.Incomplete;
    }

    /// <summary>Sends generated messages, as many calls at once as the sender likes.</summary>
    public static async Task<PublishResult> SendAsync(IMessageSender sender, int count, CancellationToken cancellationToken)
    {
        int sent = 0;
        string? firstError = null;
        Task sending = Parallel.ForEachAsync(
            Enumerable.Range(0, count).Chunk(sender.BatchSize),
            new ParallelOptions { MaxDegreeOfParallelism = sender.Concurrency, CancellationToken = cancellationToken },
            async (indexes, token) =>
            {
                foreach (string? error in await sender.SendAsync([.. indexes.Select(Generate)], token))
                {
                    if (error is null)
                    {
                        Interlocked.Increment(ref sent);
                    }
                    else
                    {
                        Interlocked.CompareExchange(ref firstError, error, null);
                    }
                }
            });
        try
        {
            await sending;
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            firstError ??= "interrupted.";
        }

        return new PublishResult(sent, firstError);
    }

    private static OutgoingMessage Generate(int index)
    {
        string id = MessageGenerator.NewId(TimeProvider.System);
        using PooledBuffer body = BufferPool.Shared.Rent(512);
        MessageGenerator.Write(body, index, id, TimeProvider.System.GetUtcNow());
        return new OutgoingMessage(id, body.WrittenSpan.ToArray());
    }
}
