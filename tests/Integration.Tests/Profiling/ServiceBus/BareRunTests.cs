using Azure.Messaging.ServiceBus;
using Harness;
using Harness.ServiceBus;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.AzureServiceBus;
using Quayside.Messaging.Configuration;
using Messaging.Tests.AzureServiceBus;

namespace Integration.Tests.Profiling.ServiceBus;

/// <summary>The harness's bare run over a broker within the process.</summary>
public sealed class BareRunTests
{
    private readonly FakeBus _bus = new(TimeProvider.System);

    [Fact]
    public async Task Run_AllMessages_AreSentInBatchesCountedDownAndCompleted()
    {
        HarnessReport report = await RunAsync(Options(count: 1_000));

        report.Messages.ShouldBe(1_000);
        report.Source.ShouldBe("servicebus, bare");
        _bus.Senders.ShouldHaveSingleItem().Batches.ShouldBe(Enumerable.Repeat(100, 10));
        FakeProcessor processor = _bus.Processors.ShouldHaveSingleItem();
        (processor.MaxConcurrentCalls, processor.PrefetchCount, processor.MaxAutoLockRenewalDuration, processor.AutoCompleteMessages).ShouldBe(
            (100, 0, TimeSpan.FromMinutes(15), true));
        _bus.Calls.Count(call => call.Operation == "Complete").ShouldBe(1_000);
        _bus.Count.ShouldBe(0);
    }

    [Fact]
    public async Task Run_OptionsGiven_AreUsed()
    {
        await RunAsync(Options(count: 25) with { Batch = 10, Concurrency = 3 });

        _bus.Senders.ShouldHaveSingleItem().Batches.ShouldBe([10, 10, 5], ignoreOrder: true);
        _bus.Processors.ShouldHaveSingleItem().MaxConcurrentCalls.ShouldBe(3);
    }

    [Fact]
    public async Task Run_SendFails_IsAnErrorOfOneLine()
    {
        _bus.SendFault = BusFaults.Of(ServiceBusFaultKind.QuotaExceeded, "the queue is full");

        (await Should.ThrowAsync<StartupException>(RunAsync(Options(count: 10)))).Message.ShouldStartWith("Publishing failed: the queue is full");
    }

    [Fact]
    public async Task Run_NothingConfigured_IsAConfigurationError() =>
        await Should.ThrowAsync<ConfigurationException>(
            BareRun.RunAsync(Options(count: 1), new ConfigurationBuilder().Build(), "harness", CreateClient, collector: null, CancellationToken.None));

    private ServiceBusClient CreateClient(ServiceBusSourceOptions options) => _bus.CreateClient(options, retries: null);

    private static HarnessOptions Options(int count) =>
        new(Form: null, "servicebus", "memory", count, Wait: false, Json: false, Explain: false, Trace: null, []) { Bare = true };

    private Task<HarnessReport> RunAsync(HarnessOptions options)
    {
        IConfiguration configuration = new ConfigurationBuilder()
            .AddInMemoryCollection(new Dictionary<string, string?>(StringComparer.Ordinal)
            {
                ["Sources:ServiceBus:FullyQualifiedNamespace"] = "orders.servicebus.windows.net",
                ["Sources:ServiceBus:Queue"] = "harness",
            })
            .Build();
        return BareRun.RunAsync(options, configuration, "harness", CreateClient, collector: null, CancellationToken.None);
    }
}
