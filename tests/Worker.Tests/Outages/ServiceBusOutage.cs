using System.Text.Json;
using Messaging.AzureServiceBus;
using Worker.Tests.AzureServiceBus;

namespace Worker.Tests.Outages;

/// <summary>A route over a fake broker of Service Bus.</summary>
internal sealed class ServiceBusOutage : IAsyncDisposable
{
    public ServiceBusOutage(TimeSpan? maxLockRenewal = null, int calls = 8)
    {
        ManualTimeProvider time = new();
        Bus = new FakeBus(time);
        ServiceBusSourceOptions options = new()
        {
            ConnectionString = "Endpoint=sb://localhost;SharedAccessKeyName=n;SharedAccessKey=k",
            Queue = "orders",
            MaxLockRenewal = maxLockRenewal ?? TimeSpan.FromMinutes(15),
        };
        ServiceBusEntity entity = new(Bus.CreateClient(options, retries: null), Bus.CreateClient(options, ServiceBusEntity.CheckRetries), options, time);
        Route = new OutageRoute(services => new ServiceBusMessageSource(entity, calls, options, services), time, $"--Intake:Concurrency={calls}");
    }

    public FakeBus Bus { get; }

    public OutageRoute Route { get; }

    public OutageSink Sink => Route.Sink;

    public void Send(string name) => Bus.Publish(JsonSerializer.SerializeToUtf8Bytes(new { MessageId = name }), name);

    public async ValueTask DisposeAsync() => await Route.DisposeAsync();
}
