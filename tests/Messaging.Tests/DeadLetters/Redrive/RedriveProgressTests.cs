using Quayside.Messaging.DeadLetters.Redrive;

namespace Messaging.Tests.DeadLetters.Redrive;

public sealed class RedriveProgressTests
{
    private static readonly RedriveRequest All = new(Reason: null, Max: int.MaxValue, DryRun: false, Url: null, Route: null);

    private readonly ManualTimeProvider _time = new();
    private readonly StringWriter _output = new();

    [Fact]
    public void AddLeft_ManyTimes_ListsTwentyAndCountsAll()
    {
        RedriveProgress progress = new(All, 25, _time, _output);
        for (int i = 0; i < 25; i++)
        {
            progress.AddLeft("r", $"letter-{i}\n", "refused");
        }

        RedriveResult result = progress.ToResult(ended: null);

        result.LeftCount.ShouldBe(25);
        result.Left.Count.ShouldBe(20);
        result.Left[0].ShouldBe("letter-0\\u000a: refused");
        result.IsComplete.ShouldBeFalse();
    }

    [Fact]
    public void Wants_Names_AreThoseOnlyAndThoseThatNeverComeEndTheResult()
    {
        RedriveProgress progress =
            new(All with { Reason = "r", Names = new HashSet<string>(["a", "b", "c\n", "d"], StringComparer.Ordinal) }, 5, _time, _output);

        (progress.Wants(Letter("a")), progress.Wants(Letter("x")), progress.Wants(Letter("b", "other")), progress.HasAllNames).ShouldBe(
            (true, false, false, false));
        progress.AddFound("r");
        progress.ToResult(ended: null).Ended.ShouldBe(
            "the dead-letter queue has no dead letter with the ids b, c\\u000a, d and this reason. --dry-run lists their ids; "
                + "one that another receiver holds is hidden for a while.");
        progress.ToResult(ended: null).IsComplete.ShouldBeFalse();
        progress.ToResult("interrupted").Ended.ShouldBe("interrupted");

        new[] { "b", "c\n", "d" }.ShouldAllBe(name => progress.Wants(Letter(name)));
        progress.HasAllNames.ShouldBeTrue();
        progress.ToResult(ended: null).Ended.ShouldBeNull();
    }

    [Fact]
    public void List_WithBodies_ShowsTheirStartWithoutWhatControlsATerminal()
    {
        byte[] body = [.. "{\r\n\t\"a\":\u001b1}"u8, .. Enumerable.Repeat((byte)'x', 3_000)];

        new RedriveProgress(All with { DryRun = true }, 1, _time, _output).List(Letter("name", "reason", body));
        new RedriveProgress(All with { DryRun = true, Bodies = true }, 1, _time, _output).List(Letter("name", "reason", body, "why\n"));

        _output
            .ToString()
            .ShouldBe(
                $"reason  name  (no description)\nreason  name  why\\u000a\n    {{\n    \t\"a\":\\u001b1}}{new string('x', 2_037)}\n    and 963 bytes more.\n");
    }

    [Fact]
    public async Task WaitForTurn_EveryFiveSeconds_ReportsOnce()
    {
        RedriveProgress progress = new(All, 9, _time, _output);
        for (int i = 0; i < 9; i++)
        {
            await progress.WaitForRateAsync(CancellationToken.None);
            progress.AddFound("r");
            progress.AddSent("r");
            _time.Advance(TimeSpan.FromSeconds(1.5));
        }

        _output.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
            .ShouldBe(["After 6 s: 4 redriven, 0 left, of 9 dead letters.", "After 12 s: 8 redriven, 0 left, of 9 dead letters."]);
    }

    [Fact]
    public async Task WaitForTurn_AfterAPause_CatchesUpASecondAtMost()
    {
        RedriveProgress progress = new(All with { Rate = 10 }, 100, _time, _output);
        await progress.WaitForRateAsync(CancellationToken.None);
        _time.Advance(TimeSpan.FromMinutes(1));

        int free = 0;
        while (progress.WaitForRateAsync(CancellationToken.None).IsCompleted)
        {
            free++;
        }

        free.ShouldBe(11, "One that is due now, and the ten of a second.");
    }

    [Fact]
    public void ToResult_OtherReasonsWithoutEnd_ListsSome()
    {
        RedriveProgress progress = new(All with { Reason = "nosuch" }, 1_000, _time, _output);
        for (int i = 0; i < 1_000; i++)
        {
            progress.Wants(Letter("name", $"reason-{i:d4}"));
        }

        string ended = progress.ToResult(ended: null).Ended.ShouldNotBeNull();
        ended.ShouldContain("reason-0049 (1)");
        ended.ShouldNotContain("reason-0050");
    }

    [Fact]
    public void ToResult_UnknownReasonInAnEmptyStore_IsComplete() =>
        new RedriveProgress(All with { Reason = "nosuch" }, 0, _time, _output).ToResult(ended: null).IsComplete.ShouldBeTrue();

    private static QueuedDeadLetter Letter(string name, string reason = "r", byte[]? body = null, string? description = null) =>
        new(name, name, reason, message: null) { Body = body, BodyLength = body?.Length ?? 0, Description = description };
}
