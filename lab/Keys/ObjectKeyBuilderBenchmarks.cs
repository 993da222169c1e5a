using BenchmarkDotNet.Attributes;
using Benchmarks.Keys;

namespace Lab.Keys;

/// <summary>The object key alone, from an object whose values are strings.</summary>
public class ObjectKeyBuilderBenchmarks
{
    private readonly WorkerKeyOfObject _worker = new();
    private KeyMessage _message = new();

    [GlobalSetup]
    public void Setup()
    {
        _message = KeyInput.Message();
        KeyInput.Require(nameof(Original), Original());
        KeyInput.Require(nameof(SpanBased), SpanBased());
        KeyInput.Require(nameof(StringCreate), StringCreate());
        KeyInput.Require(nameof(Template), _worker.Text(_message));
    }

    [Benchmark(Baseline = true)]
    public string Original() => OriginalKey.Of(_message);

    [Benchmark]
    public string SpanBased() => SpanBasedKey.Of(_message);

    [Benchmark]
    public string StringCreate() => StringCreateKey.Of(_message);

    /// <summary>The worker's template.</summary>
    [Benchmark]
    public int Template() => _worker.Length(_message);
}
