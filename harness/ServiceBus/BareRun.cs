using Azure.Messaging.ServiceBus;
using Harness.Collecting;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.AzureServiceBus;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Publishing;

namespace Harness.ServiceBus;

/// <summary>
/// Runs the client without the worker. It sends the messages, then a ServiceBusProcessor counts them down in concurrent calls, in PeekLock mode,
/// and completes each when its call returns. The difference of the two reports is the cost of the worker.
/// </summary>
internal static class BareRun
{
    public static async Task<HarnessReport> RunAsync(
        HarnessOptions options, IConfiguration configuration, string route, Func<ServiceBusSourceOptions, ServiceBusClient> createClient,
        CollectorConnection? collector, CancellationToken cancellationToken)
    {
        ServiceBusSourceOptions bus = ReadOptions(configuration, route);
        try
        {
            await using ServiceBusClient client = createClient(bus);
            await using ServiceBusProcessor processor = CreateProcessor(client, bus, options.ConcurrencyOrDefault);
            HarnessStops.Wait(options, HarnessStops.Before);
            await PublishAsync(options, bus, createClient, cancellationToken);
            HarnessStops.Wait(options, HarnessStops.Published);

            Countdown countdown = new(options.Count);
            string? firstFailure = null;
            processor.ProcessMessageAsync += _ =>
            {
                countdown.Signal();
                return Task.CompletedTask;
            };
            processor.ProcessErrorAsync += error =>
            {
                Interlocked.CompareExchange(ref firstFailure, $"{error.ErrorSource}: {error.Exception.Message}", null);
                return Task.CompletedTask;
            };
            Measurement measurement = await HarnessRun.StartAsync(options, collector, () => options.Count - countdown.Left, cancellationToken);
            await processor.StartProcessingAsync(cancellationToken);
            await HarnessRun.WaitAsync(() => options.Count - countdown.Left, options.Count, cancellationToken);
            HarnessReport report = measurement.Finish(options.Count - countdown.Left, HarnessReport.NoForm, "servicebus, bare", HarnessReport.NoForm);
            report = await HarnessRun.EndAsync(report, options, collector, cancellationToken);
            if (firstFailure is { } failure)
            {
                Console.Error.WriteLine($"error: the client reported a failure: {failure}");
            }

            await processor.StopProcessingAsync(cancellationToken);
            HarnessStops.Wait(options, HarnessStops.Processed);
            return report;
        }
        catch (Exception exception) when (exception is not (OperationCanceledException or StartupException))
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

    /// <summary>Opens a sender with a client of its own.</summary>
    public static Task<IMessageSender> OpenSenderAsync(
        HarnessOptions options, ServiceBusSourceOptions bus, Func<ServiceBusSourceOptions, ServiceBusClient> createClient,
        CancellationToken cancellationToken) =>
        ServiceBusMessageSender.OpenAsync(createClient(bus), bus, cancellationToken, options.Batch);

    private static ServiceBusProcessor CreateProcessor(ServiceBusClient client, ServiceBusSourceOptions bus, int calls)
    {
        ServiceBusProcessorOptions processing =
            new() { MaxConcurrentCalls = calls, PrefetchCount = bus.PrefetchCount, MaxAutoLockRenewalDuration = bus.MaxLockRenewal };
        return bus.Queue is { } queue ? client.CreateProcessor(queue, processing) : client.CreateProcessor(bus.Topic, bus.Subscription, processing);
    }

    private static async Task PublishAsync(
        HarnessOptions options, ServiceBusSourceOptions bus, Func<ServiceBusSourceOptions, ServiceBusClient> createClient, CancellationToken cancellationToken)
    {
        using IMessageSender sender = await OpenSenderAsync(options, bus, createClient, cancellationToken);
        await HarnessRun.PublishAsync(sender, options.Count, cancellationToken);
    }
}
