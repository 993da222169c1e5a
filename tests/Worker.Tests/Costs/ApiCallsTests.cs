using System.Diagnostics.Metrics;
using System.Net;
using System.Net.Sockets;
using Quayside.Messaging.Costs;
using Quayside.Messaging.Telemetry;
using Tests.Shared;

namespace Worker.Tests.Costs;

public sealed class ApiCallsTests
{
    // Declared in an order other than that of the reports.
    private static readonly ApiOperation Receive = new("Queue", "Receive") { BilledBytes = 1_000 };
    private static readonly ApiOperation Find = new("Queue", "Find") { IsLookup = true };
    private static readonly ApiOperation Put = new("Bucket", "Put");
    private static readonly ApiOperation List = new("Bucket", "List") { IsLookup = true };

    [Theory]
    [InlineData(0, 1)]
    [InlineData(1, 1)]
    [InlineData(1_000, 1)]
    [InlineData(1_001, 2)]
    [InlineData(4_000_000_000, 4_000_000)]
    public void RequestsFor_BilledBytes_CountsEachThatIsBegun(long bytes, long requests)
    {
        Receive.RequestsFor(bytes).ShouldBe(requests);
        Put.RequestsFor(bytes).ShouldBe(1);
    }

    [Fact]
    public void Count_SendAndAnswer_BillsTheLargerPayloadsOnTop()
    {
        ApiCalls calls = new();

        calls.Sending(Receive, 1_500);
        calls.Answered(Receive, 2_500);
        calls.Answered(Receive, 10);

        (calls.Sent(Receive), calls.Billed(Receive)).ShouldBe((1, 4));
    }

    [Theory]
    [InlineData(HttpRequestError.ConnectionError, 0)]
    [InlineData(HttpRequestError.NameResolutionError, 0)]
    [InlineData(HttpRequestError.SecureConnectionError, 0)]
    [InlineData(HttpRequestError.ResponseEnded, 2)]
    [InlineData(HttpRequestError.Unknown, 2)]
    public void Failed_WithoutAConnection_BillsNothing(HttpRequestError error, long billed)
    {
        ApiCalls calls = new();

        calls.Failed(Receive, new IOException("of an SDK", new HttpRequestException(error)), 1_500);

        calls.Billed(Receive).ShouldBe(billed);
        calls.Sent(Receive).ShouldBe(billed / 2);
    }

    [Fact]
    public async Task Failed_ConnectionRefused_BillsNothing()
    {
        // Nothing listens on the port of a listener that has stopped.
        using TcpListener listener = new(IPAddress.Loopback, 0);
        listener.Start();
        int port = ((IPEndPoint)listener.LocalEndpoint).Port;
        listener.Stop();
        using HttpClient client = new(new SocketsHttpHandler { UseProxy = false });
        ApiCalls calls = new();

        calls.Failed(Put, await Should.ThrowAsync<HttpRequestException>(() => client.GetAsync($"http://127.0.0.1:{port}")));

        calls.Operations.ShouldBeEmpty();
    }

    [Fact]
    public void Operations_Called_AreInTheOrderOfTheirServicesAndDeclarations()
    {
        ApiCalls calls = Priced();
        Send(calls, List, 1);
        Send(calls, Find, 1);
        Send(calls, Put, 1);
        Send(calls, Receive, 1);

        calls.Operations.ShouldBe([Put, List, Receive, Find]);
    }

    [Fact]
    public void Cost_SamePriceAndOther_IsOfEachOperation()
    {
        ApiCalls calls = Priced();
        Send(calls, Put, 1_000);
        Send(calls, Receive, 10_000);

        calls.Cost(Put).ShouldBe(0.005);
        calls.Cost().ShouldBe(0.005 + 0.004, 1e-12);
        new ApiCalls().Cost().ShouldBe(0);
    }

    [Fact]
    public void Cost_TwoRoutes_HaveTheirOwnPrices()
    {
        ApiCalls one = Priced();
        ApiCalls other = new();
        other.SetPrice(Put, 10);
        Send(one, Put, 1_000);
        Send(other, Put, 1_000);

        (one.Cost(), other.Cost()).ShouldBe((0.005, 0.01));
    }

    [Fact]
    public async Task Sending_ManyThreadsAndNewOperations_CountsEachCall()
    {
        const int Threads = 8;
        const int Rounds = 200;
        ApiCalls calls = new();
        ApiOperation[] operations = [.. Enumerable.Range(0, Rounds).Select(i => new ApiOperation("Service", $"Operation{i}"))];

        await Task.WhenAll(Enumerable.Range(0, Threads).Select(_ => Task.Run(() =>
        {
            foreach (ApiOperation operation in operations)
            {
                calls.Sending(operation);
                calls.Sending(operations[0]);
            }
        })));

        calls.Sent(operations[0]).ShouldBe(Threads * (Rounds + 1));
        operations.Skip(1).ShouldAllBe(operation => calls.Sent(operation) == Threads);
    }

    [Fact]
    public void Sending_AfterTheFirstCall_AllocatesNothing()
    {
        ApiCalls calls = new();
        Send(calls, Receive, 100);

        MinBytes.OfThread(() => Send(calls, Receive, 1_000)).ShouldBe(0);
    }

    [Fact]
    public void Describe_ACallWithoutAPrice_SaysAtLeast()
    {
        ApiCalls calls = Priced();
        Send(calls, Put, 1_000);
        Send(calls, new ApiOperation("Other", "Call"), 10);

        ApiCallReport.Describe(calls, 1_000).ShouldBe("Bucket Put 1,000, Other Call 10 for 1,000 messages stored: at least $5.00 per million; at least $0.005 in total");
    }

    [Fact]
    public void Describe_Calls_AreThoseThatWereSent()
    {
        ApiCalls calls = Priced();
        Send(calls, Put, 2_010);
        Send(calls, Receive, 203);

        ApiCallReport.Describe(calls, 2_000).ShouldBe("Bucket Put 2,010, Queue Receive 203 for 2,000 messages stored: about $5.07 per million; about $0.010131 in total");
    }

    [Fact]
    public void Describe_ShortRun_LeavesLookupsOutOfTheMillion()
    {
        ApiCalls calls = Priced();
        Send(calls, Put, 1);
        Send(calls, List, 1);
        Send(calls, Receive, 1);
        Send(calls, Find, 3);

        ApiCallReport.Describe(calls, 1).ShouldBe("Bucket Put 1, Queue Receive 1 for 1 message stored: about $5.40 per million; to find queue and bucket: Bucket List 1, Queue Find 3; about $0.000012 in total");
    }

    [Fact]
    public void Observe_WithAListener_PublishesCallsAndCost()
    {
        string route = Guid.NewGuid().ToString();
        ApiCalls calls = Priced();
        calls.Observe(route);
        Send(calls, Put, 3);
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

        seen.ShouldBe(["worker.api.calls 3 rpc.service=Bucket rpc.method=Put", "worker.cost.estimated 1.5E-05"], ignoreOrder: true);
    }

    /// <summary>A counter without calls: 5 USD per million calls of the bucket, 0.4 of the queue.</summary>
    private static ApiCalls Priced()
    {
        ApiCalls calls = new();
        calls.SetPrice(Put, 5);
        calls.SetPrice(List, 5);
        calls.SetPrice(Receive, 0.4);
        calls.SetPrice(Find, 0.4);
        return calls;
    }

    private static void Send(ApiCalls calls, ApiOperation operation, int count)
    {
        for (int i = 0; i < count; i++)
        {
            calls.Sending(operation);
        }
    }
}
