using System.CommandLine;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sources.Channels;

namespace OrdersApp;

/// <summary><c>--orders N</c>: publishes orders of 0 to N - 1 pieces, and leaves the worker running.</summary>
internal sealed class OrdersExtension : IDaemonExtension
{
    private readonly Option<int?> _orders = CountOption.Create("--orders", [], "Orders to publish first", 1_000);

    public IReadOnlyList<Option> Options => [_orders];

    public void Prepare(ParseResult parsed, IConfigurationRoot configuration)
    {
        if (parsed.GetValue(_orders) is { } count && !WorkerConfiguration.IsConfigured(configuration, "Handlers:Orders:MaxQuantity"))
        {
            configuration["Handlers:Orders:MaxQuantity"] = $"{count}";
        }
    }

    public async Task<bool> RunAsync(ParseResult parsed, IHost host, CancellationToken stopping)
    {
        if (parsed.GetValue(_orders) is { } count)
        {
            await new GeneratedMessages(BookOrder.WriteSample, TimeProvider.System).PublishAsync(
                host.Services.GetRequiredService<IMessagePublisher>(), count, stopping);
            Console.Out.WriteLine($"{count} orders published");
        }

        return true;
    }
}
