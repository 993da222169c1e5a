using Integration.Tests.Faults.S3;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>kill -9 at the worst instant (fault table, row 1). Kills at any instant are those of <c>proof kill</c>.</summary>
[Trait("Category", "Long")]
public sealed class KillTests(AwsServer aws, RealS3 realS3)
{
    [Theory]
    [InlineData("Sdk")]
    [InlineData("Auto")]
    public async Task Kill_BetweenTheCommitAndItsAnswer_StoresOneObjectAndDeletesTheMessage(string s3Client)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs POSIX signals");
        await using FauxqsServer server = await FauxqsServer.RequireOwnAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(server.Endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(server.Endpoint, deadLetters: deadLetters);
        await using var sink = (FaultyS3UnderTest)await SinkUnderTest.CreateAsync(SinkKind.FaultyS3, aws, realS3);
        sink.Server.Script = FaultScript.Empty.OnPut(1, S3Fault.CommitThenHang);
        ArchiveMessage message = ArchiveMessage.Create("committed");
        await queue.SendAsync(message.Text);
        // Short polls: SQS would give the redelivered message to a long poll of the killed worker.
        string[] arguments =
            [.. RunningWorker.SqsArguments(server.Endpoint, queue), "--Sources:Sqs:WaitTime=0s", .. sink.Arguments, $"--Sinks:S3:Client={s3Client}"];

        await using (RunningWorker first = await RunningWorker.StartAsync(arguments))
        {
            await sink.Server.History.WaitForAsync(exchange => exchange.Committed);
            first.Process.Kill();
            await first.Process.WaitForExitAsync();
        }

        (await queue.ExpireVisibilityAsync()).ShouldBe(1);
        await using (RunningWorker second = await RunningWorker.StartAsync(arguments))
        {
            await queue.WaitForCountAsync(counts => counts.Total == 0);
            (await second.HealthAsync()).Route["duplicates"]!.GetValue<long>().ShouldBe(1);
            (await second.StopAsync()).ShouldBe(0);
        }

        await sink.ShouldHoldExactlyAsync([message]);
        sink.Server.History.Of().Select(exchange => (exchange.Outcome, exchange.Status)).ShouldBe([(S3Outcome.Hung, 200), (S3Outcome.Answered, 412)]);
        (await deadLetters.CountAsync()).Total.ShouldBe(0);
    }
}
