using System.Text.Json;

namespace Integration.Tests.Faults.S3;

public sealed class FaultScriptTests
{
    [Fact]
    public void For_Numbers_FirstMatchingRuleDecides()
    {
        FaultScript script = FaultScript.Empty.OnPut(2, S3Fault.Conflict).OnPuts(2, 3, S3Fault.SlowDown);

        Faults(script, 1, 4).ShouldBe([S3Fault.None, S3Fault.Conflict, S3Fault.SlowDown, S3Fault.None]);
        script.For(S3Operation.GetObject, 2, "k").ShouldBeNull();
    }

    [Fact]
    public void For_KeyRule_StrikesThatKeyAlone()
    {
        FaultScript script = FaultScript.Empty.With(new FaultRule { Fault = S3Fault.AccessDenied, KeyContains = "poison" });

        script.For(S3Operation.PutObject, 1, "a/poison/b").ShouldNotBeNull();
        script.For(S3Operation.PutObject, 2, "a/b").ShouldBeNull();
    }

    [Fact]
    public void For_SomePuts_StrikesTheShareAndTheSameOnesForASeed()
    {
        FaultScript script = new FaultScript(7).OnSomePuts(0.2, S3Fault.SlowDown);

        S3Fault[] faults = Faults(script, 1, 10_000);

        faults.Count(fault => fault == S3Fault.SlowDown).ShouldBeInRange(1_800, 2_200);
        Faults(new FaultScript(7).OnSomePuts(0.2, S3Fault.SlowDown), 1, 10_000).ShouldBe(faults);
        Faults(new FaultScript(8).OnSomePuts(0.2, S3Fault.SlowDown), 1, 10_000).ShouldNotBe(faults);
    }

    [Fact]
    public void Script_ThroughJson_StaysTheSame()
    {
        FaultScript script = new FaultScript(7).OnPut(1, S3Fault.CommitThenReset).With(new FaultRule { Fault = S3Fault.None, Delay = TimeSpan.FromSeconds(1) });

        FaultScript copy = JsonSerializer.Deserialize<FaultScript>(JsonSerializer.Serialize(script))!;

        copy.Seed.ShouldBe(script.Seed);
        copy.Rules.ShouldBe(script.Rules);
    }

    private static S3Fault[] Faults(FaultScript script, int first, int count) =>
        [.. Enumerable.Range(first, count).Select(number => script.For(S3Operation.PutObject, number, "k")?.Fault ?? S3Fault.None)];
}
