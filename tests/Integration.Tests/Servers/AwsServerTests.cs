namespace Integration.Tests.Servers;

public sealed class AwsServerTests(AwsServer aws)
{
    [Fact]
    public async Task SqsQueue_SendReceiveDelete_CountsEveryState()
    {
        using SqsQueue queue = await SqsQueue.CreateAsync(
            await aws.RequireAsync(), new Dictionary<string, string>(StringComparer.Ordinal) { ["VisibilityTimeout"] = "30" });
        string[] bodies = [.. Enumerable.Range(0, 12).Select(number => $$"""{"number":{{number}},"text":"é \" \\"}""")];

        await queue.SendAllAsync(bodies);
        (await queue.CountAsync()).ShouldBe(new SqsCounts(Visible: 12, InFlight: 0, Delayed: 0));

        SqsMessage[] received = await queue.ReceiveAsync();
        received.Length.ShouldBe(10);
        received.ShouldAllBe(message => message.ReceiveCount == 1);
        (await queue.CountAsync()).ShouldBe(new SqsCounts(Visible: 2, InFlight: 10, Delayed: 0));

        foreach (SqsMessage message in received)
        {
            await queue.DeleteAsync(message);
        }

        List<SqsMessage> rest = await queue.DrainAsync();
        received.Concat(rest).Select(message => message.Body).ShouldBe(bodies, ignoreOrder: true);
        (await queue.CountAsync()).Total.ShouldBe(0);
    }
}
