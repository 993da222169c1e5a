using System.Diagnostics.Metrics;
using System.Net;
using System.Net.Sockets;
using Quayside.Messaging.Telemetry;
using Tests.Shared;

namespace Messaging.Tests.Telemetry;

public sealed class ApiCallsTests
{
    // Declared in an order other than that of the reports.
    private static readonly ApiOperation Receive = new("Queue", "Receive");
    private static readonly ApiOperation Find = new("Queue", "Find") { IsLookup = true };
    private static readonly ApiOperation Put = new("Bucket", "Put");
    private static readonly ApiOperation List = new("Bucket", "List") { IsLookup = true };

    [Theory]
    [InlineData(HttpRequestError.ConnectionError, 0)]
    [InlineData(HttpRequestError.NameResolutionError, 0)]
    [InlineData(HttpRequestError.SecureConnectionError, 0)]
    [InlineData(HttpRequestError.ResponseEnded, 1)]
    [InlineData(HttpRequestError.Unknown, 1)]
    public void Failed_WithoutAConnection_CountsNothing(HttpRequestError error, long sent)
    {
        ApiCalls calls = new();

        calls.Failed(Receive, new IOException("of an SDK", new HttpRequestException(error)));

        calls.Sent(Receive).ShouldBe(sent);
    }

    [Fact]
    public async Task Failed_ConnectionRefused_CountsNothing()
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
        ApiCalls calls = new();
        Send(calls, List, 1);
        Send(calls, Find, 1);
        Send(calls, Put, 1);
        Send(calls, Receive, 1);

        calls.Operations.ShouldBe([Put, List, Receive, Find]);
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
    public void Describe_Calls_AreThoseThatWereSent()
    {
        ApiCalls calls = new();
        Send(calls, Put, 2_010);
        Send(calls, Receive, 203);

        ApiCallReport.Describe(calls, 2_000).ShouldBe("Bucket Put 2,010, Queue Receive 203 for 2,000 messages stored");
    }

    [Fact]
    public void Describe_Lookups_AreApart()
    {
        ApiCalls calls = new();
        Send(calls, Put, 1);
        Send(calls, List, 1);
        Send(calls, Receive, 1);
        Send(calls, Find, 3);

        ApiCallReport.Describe(calls, 1).ShouldBe("Bucket Put 1, Queue Receive 1 for 1 message stored; to find queue and bucket: Bucket List 1, Queue Find 3");
    }

    [Fact]
    public void Observe_WithAListener_PublishesCalls()
    {
        string route = Guid.NewGuid().ToString();
        ApiCalls calls = new();
        calls.Observe(route);
        Send(calls, Put, 3);
        List<string> seen = [];
        using MeterListener listener = new();
        listener.InstrumentPublished = (instrument, self) =>
        {
            if (instrument.Meter.Name == RouteMetrics.SourceName && instrument.Name == "worker.api.calls")
            {
                self.EnableMeasurementEvents(instrument);
            }
        };
        void Note<T>(Instrument instrument, T value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            if (tags[0].Value is string own && own == route)
            {
                seen.Add(
                    FormattableString
                        .Invariant($"{instrument.Name} {value} {string.Join(' ', tags[1..].ToArray().Select(tag => $"{tag.Key}={tag.Value}"))}")
                        .TrimEnd());
            }
        }

        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Note(instrument, value, tags));
        listener.Start();
        listener.RecordObservableInstruments();

        seen.ShouldBe(["worker.api.calls 3 rpc.service=Bucket rpc.method=Put"]);
    }

    private static void Send(ApiCalls calls, ApiOperation operation, int count)
    {
        for (int i = 0; i < count; i++)
        {
            calls.Sending(operation);
        }
    }
}
