using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sources.Channels;

namespace OrdersApp;

/// <summary>Publishes orders of 0 to N - 1 pieces when the worker has started, and leaves it running.</summary>
internal sealed class OrdersPublisher(PublisherOptions options, IHostApplicationLifetime host, IServiceProvider services) : BackgroundService
{
    public static async Task PublishAsync(IMessagePublisher publisher, int count, CancellationToken stopping)
    {
        for (int i = 0; i < count; i++)
        {
            await publisher.PublishAsync(new Order($"{i}", i), OrderJson.Default.Order, cancellationToken: stopping);
        }
    }

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        TaskCompletionSource started = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using CancellationTokenRegistration registration = host.ApplicationStarted.Register(started.SetResult);
        await started.Task.WaitAsync(stoppingToken);
        if (options.Orders > 0)
        {
            await PublishAsync(services.GetRequiredService<IMessagePublisher>(), options.Orders, stoppingToken);
            Console.Out.WriteLine($"{options.Orders} orders published");
        }
    }
}

internal sealed class PublisherOptions
{
    [Setting("Orders to publish first", Min = "0", Max = "1000")]
    public int Orders { get; set; }
}
