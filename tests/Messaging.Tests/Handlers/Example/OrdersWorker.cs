using System.Collections.Concurrent;
using System.Text.Json;
using System.Text.Json.Serialization;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers.Example;

#pragma warning disable MA0048, SA1402 // The page shows one file.

// page: begin
public sealed record OrderPlaced(string OrderId, decimal Total);

[JsonSourceGenerationOptions(JsonSerializerDefaults.Web, RespectNullableAnnotations = true, RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(OrderPlaced))]
public sealed partial class OrderJson : JsonSerializerContext;

public sealed class StoreOrder(OrderBook orders) : IMessageHandler<OrderPlaced>
{
    public ValueTask<Settlement> HandleAsync(OrderPlaced message, MessageInfo info, CancellationToken cancellationToken)
    {
        if (message.Total < 0)
        {
            return ValueTask.FromResult(Settlement.DeadLetter("negative-total", $"Order {message.OrderId} has the total {message.Total}."));
        }

        // An order may be redelivered: storing it twice must have the effect of storing it once.
        orders[message.OrderId] = message;
        return ValueTask.FromResult(Settlement.Complete);
    }
}

public sealed class OrderBook : ConcurrentDictionary<string, OrderPlaced>;

public static class OrdersWorker
{
    public static IHost Build(string[] args)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { Args = args });
        builder.Services.AddSingleton<OrderBook>();
        builder.AddMessageWorker(worker => worker.AddHandler<OrderPlaced, StoreOrder>("Orders", OrderJson.Default.OrderPlaced));
        return builder.Build();
    }

    // Or as a program with a command line, of which this call is the whole Main.
    public static Task<int> RunAsync(string[] args) => WorkerApp.RunAsync(args, worker => worker
        .AddHandler<OrderPlaced, StoreOrder>("Orders", OrderJson.Default.OrderPlaced)
        .Services.AddSingleton<OrderBook>());
}

// page: end
