using Benchmarks.Bytes;

namespace Benchmarks.Tests.Bytes;

public sealed class ByteVerdictTests
{
    [Fact]
    public void Report_EveryCase_IsARow()
    {
        using StringWriter output = new();

        ByteGate.Report(Compare(("a/b/10/1", 0), ("long/case/1000/64", 12_345)).With(("a/b/10/1", 0), ("long/case/1000/64", 12_345)), output).ShouldBe(0);

        output.ToString().Split(Environment.NewLine).ShouldBe(
        [
            "scenario/variant/size/in flight      bytes   expected",
            "a/b/10/1                                 0          0",
            "long/case/1000/64                   12,345     12,345",
            "2 cases, none allocates more per message than expected.",
            string.Empty,
        ]);
    }

    [Fact]
    public void Compare_ARise_Fails()
    {
        ByteVerdict verdict = Compare(("a", 0)).With(("a", 1)).ShouldHaveSingleItem();

        verdict.IsFailure.ShouldBeTrue();
        verdict.ToRow(width: 1).ShouldBe("a          1          0  FAILED: more than expected");
        ByteGate.Report([verdict], TextWriter.Null).ShouldBe(1);
    }

    [Fact]
    public void Compare_AFall_IsReportedAndDoesNotFail()
    {
        ByteVerdict verdict = Compare(("a", 120)).With(("a", 0)).ShouldHaveSingleItem();

        verdict.IsFailure.ShouldBeFalse();
        verdict.ToRow(width: 1).ShouldBe("a          0        120  less: update the file with --update");
        ByteGate.Report([verdict], TextWriter.Null).ShouldBe(0);
    }

    [Fact]
    public void Compare_CaseWithoutItsCounterpart_Fails() =>
        Compare(("gone", 1)).With(("new", 2)).ShouldAllBe(verdict => verdict.IsFailure);

    private static Expectation Compare(params (string Case, long Bytes)[] expected) => new(Map(expected));

    private static Dictionary<string, long> Map((string Case, long Bytes)[] rows) =>
        rows.ToDictionary(row => row.Case, row => row.Bytes, StringComparer.Ordinal);

    private sealed record Expectation(Dictionary<string, long> Expected)
    {
        public IReadOnlyList<ByteVerdict> With(params (string Case, long Bytes)[] measured) => ByteVerdict.Compare(Expected, Map(measured));
    }
}
