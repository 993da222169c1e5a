using Harness.Collecting;
using Messaging.Configuration;
using Messaging.Hosting;
using Messaging.Publishing;
using Messaging.AzureServiceBus;
using Messaging.AzureServiceBus.Port;
using Microsoft.Extensions.Configuration;

namespace Harness.ServiceBus;

/// <summary>
/// Runs the client without the worker. It sends the messages, then counts them down in concurrent calls, in PeekLock mode;
/// the adapter completes a message when its call returns. The difference of the two reports is the cost of the worker.
/// </summary>
internal static class BareRun
{
    public static async Task<HarnessReport> RunAsync(
        HarnessOptions options, IConfiguration configuration, string route, IServiceBusConnector connector, CollectorConnection? collector, CancellationToken cancellationToken)
    {
        ServiceBusSourceOptions bus = ReadOptions(configuration, route);
        try
        {
            await using IServiceBusPump pump = connector.OpenPump(bus, new PumpSettings(options.ConcurrencyOrDefault, bus.PrefetchCount, bus.MaxLockRenewal, AutoComplete: true));
            HarnessStops.Wait(options, HarnessStops.Before);
            await PublishAsync(options, bus, connector, cancellationToken);
            HarnessStops.Wait(options, HarnessStops.Published);

            Countdown countdown = new(options.Count);
            CountingHandler handler = new(countdown);
            Measurement measurement = await HarnessRun.StartAsync(options, collector, () => options.Count - countdown.Left, cancellationToken);
            await pump.StartAsync(handler, cancellationToken);
            await HarnessRun.WaitAsync(() => options.Count - countdown.Left, options.Count, cancellationToken);
            HarnessReport report = measurement.Finish(options.Count - countdown.Left, HarnessReport.NoForm, "servicebus, bare", HarnessReport.NoForm);
            report = await HarnessRun.EndAsync(report, options, collector, cancellationToken);
            if (handler.FirstFailure is { } failure)
            {
                Console.Error.WriteLine($"error: the client reported a failure: {failure}");
            }

            await pump.StopAsync(cancellationToken);
            HarnessStops.Wait(options, HarnessStops.Processed);
            return report;
        }
        catch (ServiceBusFaultException exception)
        {
            throw new StartupException($"Service Bus {bus.Entity}: {exception.Message}", ExitCodes.Unavailable, exception);
        }
    }

    /// <exception cref="ConfigurationException">Sources:ServiceBus is wrong.</exception>
    public static ServiceBusSourceOptions ReadOptions(IConfiguration configuration, string route)
    {
        SettingsReader settings = new(configuration);
        ServiceBusSourceOptions bus = settings.Read<ServiceBusSourceOptions>(ServiceBusSourceOptions.Section, route);
        return settings.Errors.Count > 0 ? throw new ConfigurationException(settings.Errors) : bus;
    }

    private static async Task PublishAsync(HarnessOptions options, ServiceBusSourceOptions bus, IServiceBusConnector connector, CancellationToken cancellationToken)
    {
        using IMessageSender sender = await ServiceBusMessageSender.OpenAsync(bus, connector, cancellationToken, options.Batch);
        await HarnessRun.PublishAsync(sender, options.Count, cancellationToken);
    }
}
