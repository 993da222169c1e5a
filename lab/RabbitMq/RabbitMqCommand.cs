using System.CommandLine;
using System.Globalization;
using System.Text;
using Benchmarks;
using Benchmarks.Keys;
using Benchmarks.Reports;
using Harness.Pages;
using Lab.Alternatives;
using RabbitMQ.Client;

namespace Lab.RabbitMq;

/// <summary><c>rabbitmq</c>: the worker beside other receivers of a queue of RabbitMQ, each in a process of its own, in turns.</summary>
internal static class RabbitMqCommand
{
    private static readonly TimeSpan RoundLimit = TimeSpan.FromMinutes(2);

    public static Command Create()
    {
        Option<string> broker =
            new("--broker") { Description = "The broker, such as amqp://guest:guest@127.0.0.1:5672/ (tests/servers/rabbitmq starts one)", Required = true };
        Option<ReceiverKind[]> receivers = new("--receivers")
        {
            Description = "Receivers, separated by spaces",
            AllowMultipleArgumentsPerToken = true,
            DefaultValueFactory = _ => Enum.GetValues<ReceiverKind>()
        };
        Option<int> messages = new("--messages") { Description = "Messages per round", DefaultValueFactory = _ => 20_000 };
        messages.InRange(1_000, 1_000_000);
        Option<int> rounds =
            new("--rounds") { Description = "Measured rounds per process, after as many rounds of warm-up; the median is shown", DefaultValueFactory = _ => 5 };
        rounds.InRange(1, 100);
        Option<DirectoryInfo?> results = new("--results") { Description = "Folder for rabbitmq.json" };
        Command command = new(
            "rabbitmq", "Measures a handler of messages from RabbitMQ: the worker beside a bare consumer, MassTransit and Wolverine (2 minutes)")
            { broker, receivers, messages, rounds, results };
        command.SetAction(
            (result, cancellationToken) => RunAsync(
                    new Uri(result.GetValue(broker)!), result.GetValue(receivers)!, result.GetValue(messages), result.GetValue(rounds),
                    result.GetValue(results), cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(
        Uri broker, ReceiverKind[] receivers, int messages, int rounds, DirectoryInfo? results, CancellationToken cancellationToken)
    {
        await using IConnection connection = await new ConnectionFactory { Uri = broker }.CreateConnectionAsync(cancellationToken);
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
        List<(ReceiverKind Kind, string Queue, ChildProcess Process, List<RunnerRound> Rounds)> children = [];
        try
        {
            foreach (ReceiverKind kind in receivers)
            {
                string queue = $"lab-{Guid.NewGuid():n}";
                await channel.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: false, cancellationToken: cancellationToken);
                children.Add(
                    (kind, queue,
                        ChildProcess.Start(
                            typeof(RabbitMqCommand).Assembly, [ReceiverProcess.Verb, kind.ToString(), broker.ToString(), queue],
                            [("DOTNET_gcConcurrent", "0"), ("DOTNET_ThreadPool_UnfairSemaphoreSpinLimit", "0")]), []));
            }

            for (int round = -rounds; round < rounds; round++)
            {
                foreach ((_, string queue, ChildProcess process, List<RunnerRound> measured) in children)
                {
                    await process.SendAsync(messages.ToString(CultureInfo.InvariantCulture), RoundLimit, cancellationToken);
                    await PublishAsync(channel, queue, messages, cancellationToken);
                    RunnerRound one = RunnerRound.Parse(await process.SendAsync("wait", RoundLimit, cancellationToken));
                    if (round >= 0)
                    {
                        measured.Add(one);
                    }
                }
            }
        }
        finally
        {
            foreach ((_, string queue, ChildProcess process, _) in children)
            {
                process.Dispose();
                await channel.QueueDeleteAsync(queue, cancellationToken: CancellationToken.None);
            }
        }

        (ReceiverKind Kind, RunnerRound Median)[] rows =
            [.. children.Select(child => (child.Kind, child.Rounds.OrderBy(round => round.Nanoseconds).ElementAt(child.Rounds.Count / 2)))];
        Console.Out.WriteLine(Describe(messages, rounds, rows));
        await ResultsFile.WriteAsync(
            results,
            "rabbitmq",
            $"{messages} messages per round, {rounds} rounds in turns, prefetch {ReceiverProcess.Prefetch}",
            [.. children.Select(
                (child, i) => new { Row = child.Kind.ToString(), CpuNanoseconds = rows[i].Median.Nanoseconds, rows[i].Median.Bytes, rows[i].Median.PerSecond,
                        CpuNanosecondsOfRounds = child.Rounds.Select(round => round.Nanoseconds) })],
            cancellationToken);
        return 0;
    }

    /// <summary>Without confirmations and not persistent: the broker should be no slower than the receivers.</summary>
    private static async Task PublishAsync(IChannel channel, string queue, int messages, CancellationToken cancellationToken)
    {
        byte[] body = KeyInput.Bytes();
        BasicProperties properties = new() { ContentType = "application/json" };
        for (int i = 0; i < messages; i++)
        {
            await channel.BasicPublishAsync(string.Empty, queue, mandatory: false, properties, body, cancellationToken);
        }
    }

    private static string Describe(int messages, int rounds, IReadOnlyList<(ReceiverKind Kind, RunnerRound Median)> rows)
    {
        StringBuilder text = new();
        text.Append(
            CultureInfo.InvariantCulture,
            $"# From a queue of RabbitMQ to a handler\n\n{MachineInfo.Current()}, "
                + $"{TimeProvider.System.GetUtcNow():yyyy-MM-dd}; workstation GC, not concurrent\n\n");
        text.Append(
            CultureInfo.InvariantCulture,
            $"{messages:N0} messages of {KeyInput.Bytes().Length} B per round, medians of {rounds} rounds after as many of warm-up. The handler deserializes "
                + $"the message and looks at one property. Prefetch {ReceiverProcess.Prefetch}. Processor time is the receiver's; "
                + $"broker and publisher are other processes.\n\n");
        text.Append("| receiver | ns of processor per message | bytes per message | messages per processor second | messages/s |\n|---|---:|---:|---:|---:|\n");
        foreach ((ReceiverKind kind, RunnerRound median) in rows)
        {
            text.Append(
                CultureInfo.InvariantCulture,
                $"| {kind} | {median.Nanoseconds:N0} | {median.Bytes:N0} | {1e9 / median.Nanoseconds:N0} | {median.PerSecond:N0} |\n");
        }

        return text.ToString();
    }
}

/// <summary>The receivers.</summary>
internal enum ReceiverKind
{
    /// <summary>An AsyncEventingBasicConsumer that acknowledges each message.</summary>
    Bare,

    /// <summary>The worker: a route from RabbitMQ to a typed handler.</summary>
    Worker,

    /// <summary>MassTransit with its raw JSON serializer.</summary>
    MassTransit,

    /// <summary>Wolverine with System.Text.Json.</summary>
    Wolverine,
}
