using System.Diagnostics;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>Several worker processes share one queue.</summary>
public sealed class SeveralWorkersTests(AwsServer aws, RealS3 realS3)
{
    private const int Workers = 3;
    private const int Messages = 2_000;

    [Theory]
    [InlineData(SinkKind.FaultyS3)]
    [InlineData(SinkKind.RealS3)]
    public async Task Run_ThreeOnOneQueue_StoresEachMessageOnce(SinkKind kind)
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(kind, aws, realS3);
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("shared", Messages);

        // The emulator answers all polls as soon as one message arrives, and a worker whose answer is empty pauses for 500 ms. With two slots a
        // worker needs several times as long for all messages, so none can take them before the others ask again.
        string[] arguments = [.. RunningWorker.SqsArguments(endpoint, queue), .. sink.Arguments, "--Intake:Concurrency=2"];

        RunningWorker[] workers = await Task.WhenAll(Enumerable.Range(0, Workers).Select(_ => RunningWorker.StartAsync(arguments)));
        try
        {
            var watch = Stopwatch.StartNew();
            await queue.SendAllAsync(messages.Select(message => message.Text));
            await queue.WaitForCountAsync(counts => counts.Total == 0, TimeSpan.FromSeconds(120));
            long[] stored = await Task.WhenAll(workers.Select(async worker => (await worker.HealthAsync()).Route["stored"]!.GetValue<long>()));
            TestContext.Current.TestOutputHelper?.WriteLine($"SEVERAL {kind}: stored by each {string.Join(", ", stored)}, {watch.Elapsed.TotalSeconds:f1} s");

            stored.Sum().ShouldBe(Messages);
            stored.ShouldAllBe(count => count > 0);
            await sink.ShouldHoldExactlyAsync(messages);
            if (sink is FaultyS3UnderTest faulty)
            {
                faulty.Puts.ShouldBe(Messages);
            }

            int[] exitCodes = await Task.WhenAll(workers.Select(worker => worker.StopAsync()));
            exitCodes.ShouldBe([0, 0, 0]);
            (await deadLetters.CountAsync()).Total.ShouldBe(0);
        }
        finally
        {
            foreach (RunningWorker worker in workers)
            {
                await worker.DisposeAsync();
            }
        }
    }
}
