using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.Events;

/// <summary>An event and the state of its machine, created for each message and passed to the handler of the current state, a delegate.</summary>
public class EventBenchmarks
{
    private readonly object _message = new();
    private readonly string _state = "open";
    private readonly Func<ClassEvent<string>, int> _ofClass = static happened => ReferenceEquals(happened.Message, null) ? 0 : happened.State.Length;
    private readonly Func<StructEvent<string>, int> _ofStruct = static happened => ReferenceEquals(happened.Message, null) ? 0 : happened.State.Length;
    private readonly Func<object, int> _ofObject = static happened => ((StructEvent<string>)happened).State.Length;

    [GlobalSetup]
    public void Setup() => Agreement.Require(Class(), Struct(), BoxedStruct());

    [Benchmark(Baseline = true)]
    public int Class() => _ofClass(new ClassEvent<string>(_message, _state));

    [Benchmark]
    public int Struct() => _ofStruct(new StructEvent<string>(_message, _state));

    /// <summary>When a handler accepts any event, the struct is boxed.</summary>
    [Benchmark]
    public int BoxedStruct() => _ofObject(new StructEvent<string>(_message, _state));
}
