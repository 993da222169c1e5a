using System.Diagnostics;

namespace Proof.Fuzz;

/// <summary>One thread's share of a target's inputs.</summary>
internal sealed class FuzzRun(string name, Func<FuzzTarget> create, Corpus corpus, int seed, string folder) : IDisposable
{
    private const int MaxBytes = 16 * 1_024;
    private const int MaxReported = 10;

    private readonly GuardedBuffer _buffer = new(Path.Combine(folder, $"{name}-{seed}.input"), MaxBytes);
    private readonly HashSet<int> _seen = [];
    private FuzzTarget _target = create();
    private long _done;
    private long _started;

    /// <summary>Inputs so far.</summary>
    public long Done => Volatile.Read(ref _done);

    /// <summary>Inputs on which parser and twin disagreed.</summary>
    public int Failures { get; private set; }

    /// <summary>How long the current input has taken.</summary>
    public TimeSpan Busy => Volatile.Read(ref _started) is var started && started == 0 ? TimeSpan.Zero : Stopwatch.GetElapsedTime(started);

    /// <summary>Runs the given number of inputs, starting with the unchanged corpus.</summary>
    public void Run(long inputs)
    {
        Mutator mutator = new(corpus, _target.Dictionary, seed, MaxBytes);
        foreach (byte[] input in _target.Corpus)
        {
            Try(input);
        }

        for (long left = inputs - _target.Corpus.Count; left > 0; left--)
        {
            if (Try(mutator.Next()))
            {
                mutator.Keep();
            }
        }
    }

    public void Dispose() => ((IDisposable)_buffer).Dispose();

    /// <returns>True for an input with a new outcome.</returns>
    private bool Try(ReadOnlySpan<byte> input)
    {
        _buffer.Set(input);
        Volatile.Write(ref _started, Stopwatch.GetTimestamp());
        bool isNew = false;
        try
        {
            isNew = _seen.Add(_target.Run(_buffer.Memory));
        }
#pragma warning disable CA1031 // Any exception is a finding.
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failures++;
            _target = create();
            if (Failures <= MaxReported)
            {
                Console.WriteLine($"{name}: {(exception is FuzzException ? exception.Message : exception.ToString())}");
                Console.WriteLine($"  {Options.Command} fuzz --target {name} --input {Convert.ToBase64String(input)}");
            }
        }

        Volatile.Write(ref _started, 0);
        Volatile.Write(ref _done, _done + 1);
        return isNew;
    }
}
