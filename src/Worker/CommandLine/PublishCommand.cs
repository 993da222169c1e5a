using System.CommandLine;
using System.Diagnostics;
using Messaging.Hosting;
using Messaging.ServiceBus;
using Microsoft.Extensions.Configuration;
using Pipeline.Buffers;

namespace Worker.CommandLine;

/// <summary><c>publish</c>: sends generated messages to a source of a worker that runs elsewhere.</summary>
internal static class PublishCommand
{
    public static Command Create(Func<ParseResult, IConfigurationRoot> readConfiguration)
    {
        Option<int?> count = CountOption.Create("--count", ["-n"], "Messages to send", 100_000_000, defaultValue: 1_000);
        Option<string> to = new("--to") { Description = "Where to: http or channel (both POST to a running worker), sqs or servicebus (straight into the queue), udp, tcp (to where Sources:Udp and Sources:TcpLines say the worker listens)", DefaultValueFactory = _ => "http", HelpName = "source" };
        to.AcceptOnlyFromAmong("http", "channel", "sqs", "servicebus", "udp", "tcp");
        Option<string?> url = new("--url") { Description = "Address of the running worker; default Hosting:Url", HelpName = "address" };
        Option<string?> route = new("--route") { Description = "Route to send to, where the worker has several", HelpName = "name" };
        Option<int?> rate = CountOption.Create("--rate", [], "Messages a second at most; without it as many as are taken", 10_000_000);
        Command command = new("publish", "Send generated messages to a worker's source. Into a queue: publish --to sqs --Sources:Sqs:Queue=my-queue") { count, to, rate, url, route };
        command.SetAction((parsed, cancellationToken) => RunAsync(
            readConfiguration(parsed),
            parsed.GetValue(count)!.Value,
            parsed.GetValue(to)!,
            parsed.GetValue(rate),
            parsed.GetValue(url),
            parsed.GetValue(route),
            cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(IConfigurationRoot configuration, int count, string to, int? rate, string? url, string? route, CancellationToken cancellationToken)
    {
        using IMessageSender sender = await CreateSenderAsync(to, configuration, url, route, cancellationToken);
        Stopwatch watch = Stopwatch.StartNew();
        PublishResult result = await SendAsync(sender, count, rate, cancellationToken);
        Console.Out.WriteLine($"{result.Sent:N0} message(s) {sender.Accepted} {sender.Target} in {watch.Elapsed.TotalSeconds:N2} s ({result.Sent / watch.Elapsed.TotalSeconds:N0}/s).");
        if (result.FirstError is null)
        {
            return ExitCodes.Success;
        }

        ConfigurationReport.WriteError($"{count - result.Sent:N0} message(s) were not taken; the first: {result.FirstError}");
        return ExitCodes.Incomplete;
    }

    /// <summary>Sends generated messages, as many calls at once as the sender likes.</summary>
    /// <param name="sender">Where to.</param>
    /// <param name="count">How many.</param>
    /// <param name="rate">Messages a second at most; null for no limit.</param>
    /// <param name="cancellationToken">Ends it; what was sent is reported.</param>
    public static async Task<PublishResult> SendAsync(IMessageSender sender, int count, int? rate, CancellationToken cancellationToken)
    {
        long started = Stopwatch.GetTimestamp();
        int sent = 0;
        string? firstError = null;
        Task sending = Parallel.ForEachAsync(
            Enumerable.Range(0, count).Chunk(BatchSize(sender, rate)),
            new ParallelOptions { MaxDegreeOfParallelism = sender.Concurrency, CancellationToken = cancellationToken },
            async (indexes, token) =>
            {
                await WaitForTurnAsync(indexes[0], rate, started, token);
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

    /// <summary>The sender for a source, as <c>--to</c> names it.</summary>
    public static async Task<IMessageSender> CreateSenderAsync(string to, IConfiguration configuration, string? url, string? route, CancellationToken cancellationToken) => to switch
    {
        "sqs" => await SqsSender.CreateAsync(configuration, route, cancellationToken),
        "servicebus" => await ServiceBusSender.CreateAsync(configuration, route, ServiceBusBuild.RequireConnector(), cancellationToken),
        "udp" => UdpSender.Create(configuration, route),
        "tcp" => await TcpSender.CreateAsync(configuration, route, cancellationToken),
        _ => HttpSender.Create(configuration, url, route),
    };

    // Within a batch there is no waiting: at a rate, 20 batches a second are even enough.
    private static int BatchSize(IMessageSender sender, int? rate) => Math.Clamp((rate ?? int.MaxValue) / 20, 1, sender.BatchSize);

    // A message's turn is its place in the order; what is late is not waited for, so the rate is kept on average.
    private static async Task WaitForTurnAsync(int index, int? rate, long started, CancellationToken cancellationToken)
    {
        if (rate is { } perSecond && TimeSpan.FromSeconds((double)index / perSecond) - Stopwatch.GetElapsedTime(started) is { Ticks: > 0 } early)
        {
            await Task.Delay(early, cancellationToken);
        }
    }

    private static OutgoingMessage Generate(int index)
    {
        string id = MessageGenerator.NewId(TimeProvider.System);
        using PooledBuffer body = BufferPool.Shared.Rent(512);
        MessageGenerator.Write(body, index, id, TimeProvider.System.GetUtcNow());
        return new OutgoingMessage(id, body.WrittenSpan.ToArray());
    }
}
