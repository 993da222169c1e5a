using Harness.Collecting;
using Messaging.Configuration;
using Messaging.Hosting;
using Messaging.ServiceBus;
using Messaging.ServiceBus.Port;
using Microsoft.Extensions.Configuration;
using Worker.CommandLine;

namespace Harness.ServiceBus;

/// <summary>
/// The client's processor without the worker: sends, then counts messages down with so many calls at once, in PeekLock mode,
/// completed when a call returns. What the worker's source costs on top is the difference of the two reports.
/// </summary>
internal static class BareRun
{
    public static async Task<HarnessReport> RunAsync(
        HarnessOptions options, IConfiguration configuration, string route, IServiceBusConnector connector, CollectorConnection? collector, CancellationToken cancellationToken)
    {
        SettingsReader settings = new(configuration);
        ServiceBusSourceOptions bus = settings.Read<ServiceBusSourceOptions>(ServiceBusSourceOptions.Section, route);
        if (settings.Errors.Count > 0)
        {
            throw new ConfigurationException(settings.Errors);
        }

        try
        {
            await using IServiceBusPump pump = connector.OpenPump(bus, new PumpSettings(options.ConcurrencyOrDefault, bus.PrefetchCount, bus.MaxLockRenewal, AutoComplete: true));
            HarnessStops.Wait(options, HarnessStops.Before);
            await PublishAsync(options, configuration, route, connector, cancellationToken);
            HarnessStops.Wait(options, HarnessStops.Published);

            Countdown countdown = new(options.Count);
            CountingHandler handler = new(countdown);
            Measurement measurement = await HarnessRun.StartAsync(collector, cancellationToken);
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

    private static async Task PublishAsync(HarnessOptions options, IConfiguration configuration, string route, IServiceBusConnector connector, CancellationToken cancellationToken)
    {
        using ServiceBusSender sender = await ServiceBusSender.CreateAsync(configuration, route, connector, cancellationToken, options.Batch);
        await HarnessRun.PublishAsync(sender, options.Count, cancellationToken);
    }
}
