using System.Diagnostics.Metrics;
using Messaging.Costs;
using Messaging.Telemetry;

namespace Worker.Tests.Costs;

public sealed class ApiCallsTests
{
    private static readonly CostOptions ListPrices = new();

    [Theory]
    [InlineData(0, 1)]
    [InlineData(1, 1)]
    [InlineData(65_536, 1)]
    [InlineData(65_537, 2)]
    [InlineData(262_144, 4)]
    [InlineData(1_048_576, 16)]
    public void ChunksOf_Payload_IsOneFor64KiB(long bytes, long chunks) => ApiCalls.ChunksOf(bytes).ShouldBe(chunks);

    [Theory]
    [InlineData(false, 5.08)]
    [InlineData(true, 5.10)]
    public void Cost_AMillionMessagesInFullBatches_IsTheListPrice(bool fifo, double usd)
    {
        ApiCalls calls = new() { IsFifo = fifo };
        Send(calls, ApiOperation.S3PutObject, 1_000_000);
        Send(calls, ApiOperation.SqsReceiveMessage, 100_000);
        Send(calls, ApiOperation.SqsDeleteMessageBatch, 100_000);

        calls.Cost(ListPrices).ShouldBe(usd, 1e-9);
    }

    [Theory]
    [InlineData(nameof(ApiOperation.S3PutObject), 5.00)]
    [InlineData(nameof(ApiOperation.S3ListObjects), 5.00)]
    [InlineData(nameof(ApiOperation.S3HeadObject), 0.40)]
    [InlineData(nameof(ApiOperation.S3GetObject), 0.40)]
    [InlineData(nameof(ApiOperation.SqsReceiveMessage), 0.40)]
    [InlineData(nameof(ApiOperation.SqsGetQueueAttributes), 0.40)]
    public void PriceOf_EachClass_IsItsOwn(string operation, double usd) => ApiOperations.PriceOf(Enum.Parse<ApiOperation>(operation), ListPrices, fifo: false).ShouldBe(usd);

    [Fact]
    public void Describe_NoCalls_IsNothing() => ApiCallReport.Describe(new ApiCalls(), 10, ListPrices).ShouldBeNull();

    [Fact]
    public void Describe_Calls_AreThoseThatWereSent()
    {
        ApiCalls calls = new();
        Send(calls, ApiOperation.S3PutObject, 2_010);
        Send(calls, ApiOperation.SqsReceiveMessage, 203);

        ApiCallReport.Describe(calls, 2_000, ListPrices).ShouldBe("S3 PutObject 2,010, SQS ReceiveMessage 203 for 2,000 messages stored: about $5.07 a million; about $0.010131 in all");
    }

    [Fact]
    public void Describe_ShortRun_LeavesLookupsOutOfTheMillion()
    {
        ApiCalls calls = new();
        Send(calls, ApiOperation.S3PutObject, 1);
        Send(calls, ApiOperation.S3ListObjects, 1);
        Send(calls, ApiOperation.SqsReceiveMessage, 1);
        Send(calls, ApiOperation.SqsGetQueueUrl, 1);
        Send(calls, ApiOperation.SqsGetQueueAttributes, 2);

        ApiCallReport.Describe(calls, 1, ListPrices).ShouldBe("S3 PutObject 1, SQS ReceiveMessage 1 for 1 message stored: about $5.40 a million; besides, to find queue and bucket, S3 ListObjectsV2 1, SQS GetQueueUrl 1, SQS GetQueueAttributes 2; about $0.000012 in all");
    }

    [Fact]
    public void Describe_LookupsAlone_SaysWhatForAndNoMillion()
    {
        ApiCalls calls = new();
        Send(calls, ApiOperation.S3ListObjects, 1);

        ApiCallReport.Describe(calls, 3, ListPrices).ShouldBe("S3 ListObjectsV2 1 to find queue and bucket; about $0.000005 in all");
    }

    [Fact]
    public void Describe_NothingStored_IsTheCallsAlone()
    {
        ApiCalls calls = new();
        Send(calls, ApiOperation.SqsReceiveMessage, 1_250);

        ApiCallReport.Describe(calls, 0, ListPrices).ShouldBe("SQS ReceiveMessage 1,250 and no message stored; about $0.0005 in all");
    }

    [Fact]
    public void Observe_SomebodyListens_PublishesCallsAndCost()
    {
        string route = Guid.NewGuid().ToString();
        ApiCalls calls = new();
        calls.Observe(route, ListPrices);
        Send(calls, ApiOperation.S3PutObject, 3);
        List<string> seen = [];
        using MeterListener listener = new();
        listener.InstrumentPublished = (instrument, self) =>
        {
            if (instrument.Meter.Name == RouteMetrics.SourceName && instrument.Name is "worker.api.calls" or "worker.cost.estimated")
            {
                self.EnableMeasurementEvents(instrument);
            }
        };
        void Note<T>(Instrument instrument, T value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            if (tags[0].Value is string own && own == route)
            {
                seen.Add(FormattableString.Invariant($"{instrument.Name} {value} {string.Join(' ', tags[1..].ToArray().Select(tag => $"{tag.Key}={tag.Value}"))}").TrimEnd());
            }
        }

        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Note(instrument, value, tags));
        listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Note(instrument, value, tags));
        listener.Start();
        listener.RecordObservableInstruments();

        seen.ShouldBe(["worker.api.calls 3 rpc.service=S3 rpc.method=PutObject", "worker.cost.estimated 1.5E-05"], ignoreOrder: true);
    }

    private static void Send(ApiCalls calls, ApiOperation operation, int count)
    {
        for (int i = 0; i < count; i++)
        {
            calls.Sending(operation);
        }
    }
}
