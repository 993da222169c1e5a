using System.Text;
using Integration.Tests.Servers;
using Quayside.Pipeline.Settlements;

namespace Integration.Tests.Aws.Sqs;

public sealed class SqsSourceTests(AwsServer aws)
{
    private static readonly TimeSpan ShortVisibility = TimeSpan.FromSeconds(3);

    [Fact]
    public async Task Hold_LongerThanTheVisibilityTimeout_MessageStaysHiddenAndIsDeletedOnce()
    {
        await using SqsSourceHarness harness = await SqsSourceHarness.CreateAsync(await aws.RequireAsync(), visibility: ShortVisibility);
        await harness.StartAsync();
        for (int i = 0; i < 12; i++)
        {
            await harness.PublishAsync(Encoding.UTF8.GetBytes($"{{\"n\":{i}}}"));
        }

        List<Delivery> held = [];
        for (int i = 0; i < 12; i++)
        {
            held.Add(await harness.Intake.NextAsync());
        }

        await Task.Delay(ShortVisibility * 3);

        // On a busy machine a renewal may be late, and its message visible for a moment.
        (await harness.Queue.CountAsync()).Total.ShouldBe(12);
        foreach (Delivery delivery in held)
        {
            await delivery.SettleAsync(Settlement.Complete);
        }

        await harness.WaitUntilEmptyAsync();
        harness.Intake.Accepted.ShouldBe(12);
        await harness.FinishAsync();
    }
}
