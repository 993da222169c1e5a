using System.Text;
using Integration.Tests.Faults.S3;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using S3Fault = Integration.Tests.Faults.S3.S3Fault;

namespace Integration.Tests.Aws.S3;

/// <summary>The sink counts exactly the calls that the store receives.</summary>
public class S3SinkCallCountTests : IAsyncLifetime
{
    private FaultyS3 _s3 = null!;

    internal virtual S3ClientKind Client => S3ClientKind.Sdk;

    public async ValueTask InitializeAsync() => _s3 = await FaultyS3.StartAsync();

    public ValueTask DisposeAsync() => _s3.DisposeAsync();

    [Fact]
    public async Task Calls_RetriesDuplicatesAndComparisons_EqualWhatTheStoreSaw()
    {
        ApiCalls calls = new();
        TimeSpan limit = TimeSpan.FromMinutes(5);
        await using S3Sink sink = S3Sink.Create(
            new S3SinkOptions { Client = Client, Bucket = "archive", ConnectTimeout = limit, AttemptTimeout = limit, TotalTimeout = limit },
            S3Sinks.AwsOf(_s3.Endpoint),
            new SinkServices { Services = null!, Calls = calls });
        _s3.Script = FaultScript.Empty.OnPut(2, S3Fault.SlowDown).OnPut(4, S3Fault.CommitThenReset);

        await sink.CheckAsync(TestContext.Current.CancellationToken);
        for (int i = 0; i < 10; i++)
        {
            byte[] body = Encoding.UTF8.GetBytes($"{i % 7}");
            await sink.StoreAsync(body, body, TestContext.Current.CancellationToken);
        }

        // PUTs: 10 and two retries. HEADs: the 3 duplicates and the PUT whose answer was lost.
        (calls.Sent(S3Calls.Put), calls.Sent(S3Calls.Head)).ShouldBe((12, 4));
        calls.Sent(S3Calls.Put).ShouldBe(_s3.History.Of().Length);
        calls.Sent(S3Calls.Head).ShouldBe(_s3.History.Of(S3Operation.HeadObject).Length);
        calls.Sent(S3Calls.Get).ShouldBe(_s3.History.Of(S3Operation.GetObject).Length);
        calls.Sent(S3Calls.List).ShouldBe(1);
    }
}
