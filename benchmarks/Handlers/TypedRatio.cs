using System.Globalization;
using System.Text.Json;
using Benchmarks.Interleaved;
using Benchmarks.Keys;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Sources.Channels;

namespace Benchmarks.Handlers;

/// <summary>
/// Processor time of a message from the channel to a typed handler, alternating with one from the channel to the archive and the sink
/// Memory, whose body is deserialized separately.
/// </summary>
internal static class TypedRatio
{
    /// <summary>First argument of the process that measures; the name of the only case and the number of turns follow.</summary>
    public const string Verb = "typed-child";

    /// <summary>The route to the archive and the sink Memory.</summary>
    public const string Archive = "archive";

    private const string Case = "channel";
    private const string Typed = "typed";
    private const int MessagesPerTurn = 2_000;
    private const int WarmUpTurns = 100;

    /// <summary>Measures and prints a row.</summary>
    public static Task<int> RunAsync(RatioOptions options, CancellationToken cancellationToken) =>
        new RatioTable(Verb, "source", "archive", "typed").RunAsync([Case], options, cancellationToken);

    /// <summary>Measures in this process and prints <see cref="TurnMedians"/>.</summary>
    public static async Task<int> RunChildAsync(string turns)
    {
        using IHost host = Build();
        await host.StartAsync();
        byte[] body = KeyInput.Bytes();
        TurnMedians medians = Turns.Measure(
            () => Route(host, Archive, body) + Deserialize(body),
            () => Route(host, Typed, body),
            WarmUpTurns,
            int.Parse(turns, CultureInfo.InvariantCulture));
        await host.StopAsync();
        Console.Out.WriteLine(medians);
        return 0;
    }

    /// <summary>A worker with both routes, not started.</summary>
    public static IHost Build()
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(settings: null);
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            [$"Routes:{Archive}:Source"] = "Channel",
            [$"Routes:{Archive}:Handler"] = "Archive",
            [$"Routes:{Archive}:Sink"] = "Memory",
            [$"Routes:{Typed}:Source"] = "Channel",
            [$"Routes:{Typed}:Handler"] = "Looking",
            ["Sinks:Memory:Capacity"] = "0",
        });
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.AddMessageWorker(worker => worker.AddArchive().AddHandler<KeyMessage, LookingHandler>("Looking", KeyMessageContext.Default.KeyMessage));
        return builder.Build();
    }

    /// <summary>Publishes the messages of a turn and waits until the route has settled them.</summary>
    /// <returns>Nanoseconds of the process's processor time per message.</returns>
    public static double Route(IHost host, string route, byte[] body)
    {
        IMessagePublisher publisher = host.Services.GetRequiredKeyedService<IMessagePublisher>(route);
        IWorkerStatus status = host.Services.GetRequiredService<IWorkerStatus>();
        long settled = Stored(status, route) + MessagesPerTurn;
        TimeSpan before = Environment.CpuUsage.TotalTime;
        PublishAsync(publisher, body).GetAwaiter().GetResult();
        while (Stored(status, route) < settled)
        {
            Thread.Sleep(1);
        }

        return (Environment.CpuUsage.TotalTime - before).TotalNanoseconds / MessagesPerTurn;
    }

    private static async Task PublishAsync(IMessagePublisher publisher, byte[] body)
    {
        for (int message = 0; message < MessagesPerTurn; message++)
        {
            await publisher.PublishAsync(body);
        }
    }

    private static long Stored(IWorkerStatus status, string route) => status.GetRoutes().Single(one => one.Name == route).Totals.Stored;

    /// <inheritdoc cref="Route"/>
    private static double Deserialize(byte[] body)
    {
        TimeSpan before = Environment.CpuUsage.TotalTime;
        for (int message = 0; message < MessagesPerTurn; message++)
        {
            JsonSerializer.Deserialize(body, KeyMessageContext.Default.KeyMessage);
        }

        return (Environment.CpuUsage.TotalTime - before).TotalNanoseconds / MessagesPerTurn;
    }
}
