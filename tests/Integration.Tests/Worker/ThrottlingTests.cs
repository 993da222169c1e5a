using System.Text.Json.Nodes;
using Integration.Tests.Faults.S3;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>A worker whose store throttles for a while: fewer messages are in flight until it has recovered, and none is lost.</summary>
public sealed class ThrottlingTests(AwsServer aws, RealS3 realS3)
{
    private const int Messages = 400;

    [Fact]
    public async Task Store_ThrottlesForAWhile_FewerMessagesAreInFlightAndEachIsStored()
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await using var sink = (FaultyS3UnderTest)await SinkUnderTest.CreateAsync(SinkKind.FaultyS3, aws, realS3);
        sink.Server.Script = new FaultScript(1)
            .With(new FaultRule { Fault = S3Fault.SlowDown, Probability = 0.5 })
            .With(new FaultRule { Fault = S3Fault.None, Delay = TimeSpan.FromMilliseconds(20) });
        await using RunningWorker worker = await RunningWorker.StartAsync([.. RunningWorker.SqsArguments(endpoint, queue), .. sink.Arguments]);
        (await LimitAsync(worker)).ShouldBe(64);

        ArchiveMessage[] first = ArchiveMessage.CreateMany("throttled", Messages);
        await queue.SendAllAsync(first.Select(message => message.Text));
        await Eventually.BecomesTrueAsync(async () => await LimitAsync(worker) < 32, "the limit falls while the store throttles");

        sink.Server.Script = FaultScript.Empty.With(new FaultRule { Fault = S3Fault.None, Delay = TimeSpan.FromMilliseconds(20) });
        await Eventually.BecomesTrueAsync(async () => (await sink.ReadAllAsync()).Count >= Messages, "every message is stored", TimeSpan.FromMinutes(3));

        await sink.ShouldHoldExactlyAsync(first);
        (await deadLetters.CountAsync()).Total.ShouldBe(0);
        (await worker.StopAsync()).ShouldBe(0);
    }

    private static async Task<int> LimitAsync(RunningWorker worker) =>
        JsonNode.Parse(await worker.ReadPageAsync("/api/v1/stats"))!["routes"]!.AsArray().Single()!["limit"]!.GetValue<int>();
}
