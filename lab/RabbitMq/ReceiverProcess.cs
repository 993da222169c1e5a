using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Benchmarks.Keys;
using Lab.Alternatives;
using MassTransit;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Pipeline.Settlements;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Wolverine;
using Wolverine.RabbitMQ;

namespace Lab.RabbitMq;

/// <summary>
/// A process with one receiver: for each line with a number of messages it is ready to count them, and after the next one it waits until as many are handled,
/// and prints their cost.
/// </summary>
internal static class ReceiverProcess
{
    /// <summary>Its first argument; the receiver, the broker and the queue follow.</summary>
    public const string Verb = "rabbitmq-child";

    /// <summary>Its answer to a number of messages.</summary>
    public const string Ready = "ready";

    /// <summary>Messages that the broker sends in advance.</summary>
    public const int Prefetch = 200;

    private static readonly HandledMessages Handled = new(WorkKind.Trivial);

    public static async Task<int> RunAsync(string kind, string broker, string queue)
    {
        await using IAsyncDisposable receiver = await StartAsync(Enum.Parse<ReceiverKind>(kind), new Uri(broker), queue);
        while (await Console.In.ReadLineAsync() is { } line)
        {
            int messages = int.Parse(line, CultureInfo.InvariantCulture);
            GC.Collect();
            Task done = Handled.Expect(messages);
            long bytes = GC.GetTotalAllocatedBytes(precise: true);
            TimeSpan processor = Environment.CpuUsage.TotalTime;
            long started = Stopwatch.GetTimestamp();

            // Messages that came before would not be counted.
            Console.Out.WriteLine(Ready);
            await Console.In.ReadLineAsync();
            await done;
            TimeSpan elapsed = Stopwatch.GetElapsedTime(started);
            Console.Out.WriteLine(new RunnerRound(
                (Environment.CpuUsage.TotalTime - processor).TotalNanoseconds / messages,
                (double)(GC.GetTotalAllocatedBytes(precise: true) - bytes) / messages,
                messages / elapsed.TotalSeconds));
        }

        return 0;
    }

    /// <summary>What every receiver's handler does.</summary>
    public static void Look(KeyMessage? message)
    {
        if (message?.MessageId is null)
        {
            throw new InvalidOperationException("The message has no id.");
        }

        Handled.Count();
    }

    private static async Task<IAsyncDisposable> StartAsync(ReceiverKind kind, Uri broker, string queue) => kind switch
    {
        ReceiverKind.Worker => await StartWorkerAsync(broker, queue),
        ReceiverKind.MassTransit => await StartMassTransitAsync(broker, queue),
        ReceiverKind.Wolverine => await StartWolverineAsync(broker, queue),
        _ => await StartBareAsync(broker, queue),
    };

    private static async Task<IAsyncDisposable> StartBareAsync(Uri broker, string queue)
    {
        IConnection connection = await new ConnectionFactory { Uri = broker }.CreateConnectionAsync();
        IChannel channel = await connection.CreateChannelAsync();
        await channel.BasicQosAsync(0, Prefetch, global: false);
        AsyncEventingBasicConsumer consumer = new(channel);
        consumer.ReceivedAsync += async (_, delivery) =>
        {
            Look(JsonSerializer.Deserialize(delivery.Body.Span, KeyMessageContext.Default.KeyMessage));
            await channel.BasicAckAsync(delivery.DeliveryTag, multiple: false);
        };
        await channel.BasicConsumeAsync(queue, autoAck: false, consumer);
        return connection;
    }

    private static async Task<IAsyncDisposable> StartWorkerAsync(Uri broker, string queue)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(settings: null);
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Routes:lab:Source"] = "RabbitMq",
            ["Routes:lab:Handler"] = "Looking",
            ["Sources:RabbitMq:Uri"] = broker.ToString(),
            ["Sources:RabbitMq:Queue"] = queue,
            ["Sources:RabbitMq:DeadLetterExchange"] = "amq.direct",
            ["Sources:RabbitMq:Prefetch"] = Prefetch.ToString(CultureInfo.InvariantCulture),
        });
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.AddMessageWorker(worker => worker.AddRabbitMq().AddHandler<KeyMessage, CountingHandler>("Looking", KeyMessageContext.Default.KeyMessage));
        return await StartAsync(builder.Build());
    }

    private static async Task<IAsyncDisposable> StartMassTransitAsync(Uri broker, string queue)
    {
        IBusControl bus = Bus.Factory.CreateUsingRabbitMq(configure =>
        {
            configure.Host(broker);
            configure.ReceiveEndpoint(queue, endpoint =>
            {
                endpoint.ConfigureConsumeTopology = false;
                endpoint.PrefetchCount = Prefetch;
                endpoint.UseRawJsonDeserializer(RawSerializerOptions.AnyMessageType, isDefault: true);
                endpoint.Handler<KeyMessage>(context =>
                {
                    Look(context.Message);
                    return Task.CompletedTask;
                });
            });
        });
        await bus.StartAsync();
        return new Stopping(() => bus.StopAsync());
    }

    private static Task<IAsyncDisposable> StartWolverineAsync(Uri broker, string queue)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(settings: null);
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.UseWolverine(options =>
        {
            options.Durability.Mode = DurabilityMode.Solo;
            options.Discovery.DisableConventionalDiscovery().IncludeType(typeof(KeyMessageHandler));
            options.UseRabbitMq(broker);
            options
                .ListenToRabbitQueue(queue, declared => declared.IsDurable = true)
                .PreFetchCount(Prefetch)
                .DefaultIncomingMessage<KeyMessage>()
                .ProcessInline();
        });
        return StartAsync(builder.Build());
    }

    private static async Task<IAsyncDisposable> StartAsync(IHost host)
    {
        await host.StartAsync();
        return new Stopping(() => host.StopAsync());
    }

    private sealed class CountingHandler : IMessageHandler<KeyMessage>
    {
        public ValueTask<Settlement> HandleAsync(KeyMessage message, MessageInfo info, CancellationToken cancellationToken)
        {
            Look(message);
            return new(Settlement.Complete);
        }
    }

    private sealed class Stopping(Func<Task> stop) : IAsyncDisposable
    {
        public async ValueTask DisposeAsync() => await stop();
    }
}

/// <summary>The handler of Wolverine, found by its name.</summary>
public static class KeyMessageHandler
{
    public static void Handle(KeyMessage message) => ReceiverProcess.Look(message);
}
