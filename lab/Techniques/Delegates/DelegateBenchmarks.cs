using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.Delegates;

/// <summary>Work passed to a method that runs it under a context.</summary>
public class DelegateBenchmarks
{
    private readonly Mailbox _mailbox = new();
    private int _weight;

    [GlobalSetup]
    public void Setup()
    {
        _weight = 1;
        Agreement.Require(
            7, [Closure() + 6, ClosureInlined() + 5, StaticLambda() + 4, CachedDelegate() + 3, ValueDelegate() + 2, BoxedValueDelegate() + 1, WrittenOut()]);
    }

    [Benchmark(Baseline = true)]
    public int Closure() => _mailbox.Closure(_weight);

    [Benchmark]
    public int ClosureInlined() => _mailbox.ClosureInlined(_weight);

    [Benchmark]
    public int StaticLambda() => _mailbox.StaticLambda(_weight);

    [Benchmark]
    public int CachedDelegate() => _mailbox.CachedDelegate(_weight);

    [Benchmark]
    public int ValueDelegate() => _mailbox.ValueDelegate(_weight);

    [Benchmark]
    public int BoxedValueDelegate() => _mailbox.BoxedValueDelegate(_weight);

    [Benchmark]
    public int WrittenOut() => _mailbox.WrittenOut(_weight);
}
