using System.Text;
using Lab.Techniques.Boxing;
using Lab.Techniques.Delegates;
using Lab.Techniques.JsonPooling;
using Lab.Techniques.ValueTasks;
using Pipeline.Buffers;

namespace Lab.Tests.Techniques;

/// <summary>Variants that avoid objects give the same results as the objects.</summary>
public sealed class ObjectTechniqueTests
{
    [Theory]
    [InlineData("", 0, new string[0])]
    [InlineData("plain", int.MinValue, new[] { "one" })]
    [InlineData("quote \" back \\ slash / tab \t line \n", int.MaxValue, new[] { "", "\u00E9\u20AC", "<&'+>" })]
    public void ReplyJson_AnyReply_EveryVariantGivesTheSameBytes(string sender, int attempt, string[] lines)
    {
        using ReplyWriter writer = new();
        Reply reply = new("id", sender, attempt, attempt > 0, lines);
        string json = Encoding.UTF8.GetString(ReplyJson.NewBuilder(reply));

        Encoding.UTF8.GetString(ReplyJson.PooledBuilder(reply)).ShouldBe(json);
        Encoding.UTF8.GetString(ReplyJson.Utf8Bytes(reply)).ShouldBe(json);
        using PooledBuffer ours = writer.Write(reply);
        Encoding.UTF8.GetString(ours.WrittenSpan).ShouldBe(json);
    }

    [Fact]
    public void ReplyJson_ShortAfterLong_HasNoBytesOfTheFirst()
    {
        using ReplyWriter writer = new();
        writer.Write(new Reply("1", new string('x', 40_000), 1, true, ["a", "b"])).Dispose();
        ReplyJson.PooledBuilder(new Reply("1", new string('x', 10_000), 1, true, []));
        Reply small = new("2", "y", 2, false, []);

        using PooledBuffer ours = writer.Write(small);

        Encoding.UTF8.GetString(ours.WrittenSpan).ShouldBe("""{"Id":"2","Sender":"y","Attempt":2,"Final":false,"Lines":[]}""");
        Encoding.UTF8.GetString(ReplyJson.PooledBuilder(small)).ShouldBe("""{"Id":"2","Sender":"y","Attempt":2,"Final":false,"Lines":[]}""");
    }

    [Fact]
    public void Mailbox_EveryWay_ProcessesTheWeightUnderTheContext()
    {
        Func<Mailbox, int, int>[] ways =
        [
            (mailbox, weight) => mailbox.Closure(weight), (mailbox, weight) => mailbox.ClosureInlined(weight), (mailbox, weight) => mailbox.StaticLambda(weight),
            (mailbox, weight) => mailbox.CachedDelegate(weight), (mailbox, weight) => mailbox.ValueDelegate(weight),
            (mailbox, weight) => mailbox.BoxedValueDelegate(weight), (mailbox, weight) => mailbox.WrittenOut(weight),
        ];
        foreach (Func<Mailbox, int, int> way in ways)
        {
            Mailbox mailbox = new();
            way(mailbox, 5).ShouldBe(5);
            way(mailbox, -7).ShouldBe(-2);

            // The context has been removed.
            mailbox.Process(100);
            way(mailbox, 0).ShouldBe(-2);
        }
    }

    [Fact]
    public void StateMachine_RandomStates_EveryVariantCountsTheSame()
    {
        Random random = new(3);
        for (int length = 0; length < 200; length++)
        {
            DayState[] states = [.. Enumerable.Range(0, length).Select(_ => (DayState)random.Next(-1, 5))];
            int same = states.Zip(states.Skip(1)).Count(pair => pair.First == pair.Second);

            (StateMachine<DayState>.ObjectEquals(states), StateMachine<DayState>.StaticEquals(states), StateMachine<DayState>.EscapingBox(states), StateMachine<DayState>.DefaultComparer(states))
                .ShouldBe((same, same, same, same));
        }
    }

    [Theory]
    [InlineData(int.MinValue)]
    [InlineData(-1)]
    [InlineData(0)]
    [InlineData(8)]
    [InlineData(9)]
    [InlineData(int.MaxValue)]
    public async Task SynchronousResult_AnyValue_EveryVariantGivesIt(int value)
    {
        int[] results =
        [
            await SynchronousResult.FromResult(value), await SynchronousResult.AsyncTask(value), await SynchronousResult.NewValueTask(value),
            await SynchronousResult.ValueTaskFromResult(value), await SynchronousResult.AsyncValueTask(value),
        ];
        results.ShouldAllBe(one => one == value);
    }
}
