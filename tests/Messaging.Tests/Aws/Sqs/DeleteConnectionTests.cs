using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Aws.Sqs;

/// <summary>Deletes beside many long polls, over the connections of the worker: in memory no call waits for one.</summary>
public sealed class DeleteConnectionTests
{
    [Fact]
    public async Task Complete_HundredsOfReceivesWait_TheDeleteDoesNotWaitBehindThem()
    {
        await using SqsRun run = await SqsRun.ConnectAsync(concurrency: 3_000);
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));
        await SqsRun.WaitAsync(() => run.Queue.Polling > 290, "Receives wait for connections.");

        await deliveries[0].SettleAsync(Settlement.Complete);

        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "The delete waits for a connection.");
        await run.EndAsync();
    }
}
