using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Http.Web.Metrics;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Http.Web.Metrics;

[Collection(AllocationCollection.Name)]
public sealed class MetricStoreAllocationTests
{
    [Fact]
    public void Histograms_OfAMessage_AllocateNothing()
    {
        string name = $"test.{Guid.NewGuid():n}";
        RouteMetrics route = new(name);
        using MetricStore store = new(TimeProvider.System, [], NullLogger<MetricStore>.Instance);
        store.RecordHistograms();
        Settle();

        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1_000; i++)
        {
            Settle();
        }

        (GC.GetAllocatedBytesForCurrentThread() - before).ShouldBe(0);
        foreach (string metric in (string[])["messaging.process.duration", "worker.sink.duration"])
        {
            store.SeriesOf(metric).OfType<HistogramSeries>().Single(series => series["worker.route"] == name).Counts().Sum().ShouldBe(1_001, metric);
        }

        void Settle()
        {
            route.StoreEnded(RouteMetrics.StoreStarts());
            route.MessageSettled(Settlement.Complete, TimeSpan.FromMilliseconds(1));
        }
    }
}
