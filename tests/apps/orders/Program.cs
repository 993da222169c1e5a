using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Sources.Channels;

namespace OrdersApp;

/// <summary>A worker with its own handlers, source, settings, command and service: as a program, and embedded in a host.</summary>
internal static class Program
{
    public static Task<int> Main(string[] args) => args is ["embedded", .. string[] keys]
        ? RunEmbeddedAsync(keys)
        : args is ["mistakes", .. string[] rest] ? WorkerApp.RunAsync(rest, Mistakes.Add)
        : args is ["broken"] ? WorkerApp.RunAsync([], _ => throw new InvalidOperationException("no shop to open"))
        : args is ["nameless"] ? WorkerApp.RunAsync([], worker => worker.AddHandler<Order, BookOrder>(name: null!, OrderJson.Default.Order))
        : WorkerApp.RunAsync(
            args, worker => AddFeatures(worker).Describe("Books orders.").AddCommand(RoutesCommand.Create));

    private static IMessageWorkerBuilder AddFeatures(IMessageWorkerBuilder worker)
    {
        worker.Services.AddHostedService<OrdersPublisher>();
        return worker
            .AddSettings(SettingsSection.Of<TenantOptions>("Tenants"))
            .AddSettings(SettingsSection.Of<PublisherOptions>("Publisher"))
            .AddSource(new OutboxFeature())
            .AddHandler(new CopyFeature())
            .AddMeter("OrdersApp")
            .AddHandler<Order, BookOrder, BookOptions>("Orders", OrderJson.Default.Order);
    }

    private static async Task<int> RunEmbeddedAsync(string[] keys)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(keys);
        builder.AddMessageWorker(worker => AddFeatures(worker));
        using IHost host = builder.Build();
        await host.StartAsync();
        await OrdersPublisher.PublishAsync(host.Services.GetRequiredService<IMessagePublisher>(), 3, CancellationToken.None);
        await host.StopAsync();
        return host.Services.GetRequiredService<IMessageWorker>().DrainedCleanly ? ExitCodes.Success : ExitCodes.Incomplete;
    }
}
