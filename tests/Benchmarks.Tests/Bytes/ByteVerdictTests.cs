using Benchmarks.Bytes;

namespace Benchmarks.Tests.Bytes;

public sealed class ByteVerdictTests
{
    [Fact]
    public void Compare_AsExpected_SaysNothing() => Compare(("a", 0), ("b", 120)).With(("a", 0), ("b", 120)).ShouldBeEmpty();

    [Fact]
    public void Compare_ARise_Fails()
    {
        ByteVerdict verdict = Compare(("a", 0)).With(("a", 1)).ShouldHaveSingleItem();

        verdict.IsFailure.ShouldBeTrue();
        verdict.ToString().ShouldBe("FAIL a: 1 bytes a message, 0 expected");
    }

    [Fact]
    public void Compare_AFall_IsSaidAndDoesNotFail()
    {
        ByteVerdict verdict = Compare(("a", 120)).With(("a", 0)).ShouldHaveSingleItem();

        verdict.IsFailure.ShouldBeFalse();
        verdict.ToString().ShouldStartWith("less a");
    }

    [Fact]
    public void Compare_ACaseWithoutItsOther_Fails() =>
        Compare(("gone", 1)).With(("new", 2)).ShouldAllBe(verdict => verdict.IsFailure);

    private static Expectation Compare(params (string Case, long Bytes)[] expected) => new(Map(expected));

    private static Dictionary<string, long> Map((string Case, long Bytes)[] rows) => rows.ToDictionary(row => row.Case, row => row.Bytes, StringComparer.Ordinal);

    private sealed record Expectation(Dictionary<string, long> Expected)
    {
        public IReadOnlyList<ByteVerdict> With(params (string Case, long Bytes)[] measured) => ByteVerdict.Compare(Expected, Map(measured));
    }
}
