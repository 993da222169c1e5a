using Benchmarks.Pipelines.Chains;

namespace Benchmarks.Pipelines;

/// <summary>Sends messages through one chain on the calling thread, with a fixed number in flight.</summary>
internal sealed class ChainDriver
{
    private readonly Chain _chain;
    private readonly bool _suspends;
    private readonly bool _throws;
    private readonly bool _throwsSynchronously;
    private readonly BenchContext[] _contexts;
    private readonly object?[] _prepared;
    private readonly ValueTask[] _running;

    public ChainDriver(Variant variant, Scenario scenario, int depth, int inFlight)
    {
        _chain = Chain.Compose(variant, scenario, depth);
        _suspends = scenario is Scenario.RealHop or Scenario.Throwing;
        _throws = scenario == Scenario.Throwing;
        _throwsSynchronously = scenario == Scenario.ThrowingSynchronously;
        Tail tail = scenario switch
        {
            Scenario.RealHop => Tail.Hops,
            Scenario.Throwing => Tail.ThrowsAfterHop,
            Scenario.ThrowingSynchronously => Tail.Throws,
            _ => Tail.Returns,
        };
        _contexts = [.. Enumerable.Range(0, inFlight).Select(_ => new BenchContext { Tail = tail })];
        _prepared = [.. _contexts.Select(_chain.Prepare)];
        _running = new ValueTask[inFlight];
    }

    /// <summary>Sends one message per context through the chain.</summary>
    /// <returns>The last message's sum, which every variant must reach.</returns>
    public int Run() => _throwsSynchronously ? RunThrowing() : RunThrough();

    private int RunThrough()
    {
        for (int i = 0; i < _contexts.Length; i++)
        {
            _contexts[i].Sum = 0;
            _running[i] = _chain.InvokeAsync(_contexts[i], _prepared[i]);
        }

        if (_suspends)
        {
            foreach (BenchContext context in _contexts)
            {
                context.Resume();
            }
        }

        foreach (ValueTask running in _running)
        {
            End(running);
        }

        return _contexts[^1].Sum;
    }

    /// <summary>As for a caller that awaits the call: the call itself may throw, or its task may fail.</summary>
    private int RunThrowing()
    {
        for (int i = 0; i < _contexts.Length; i++)
        {
            _contexts[i].Sum = 0;
            try
            {
                _chain.InvokeAsync(_contexts[i], _prepared[i]).GetAwaiter().GetResult();
            }
            catch (BenchException)
            {
                continue;
            }

            throw new InvalidOperationException("The chain lost the exception.");
        }

        return _contexts[^1].Sum;
    }

    private void End(ValueTask running)
    {
        if (!_throws)
        {
            running.GetAwaiter().GetResult();
            return;
        }

        try
        {
            running.GetAwaiter().GetResult();
        }
        catch (BenchException)
        {
            return;
        }

        throw new InvalidOperationException("The chain lost the exception.");
    }
}
