namespace Proof.Fuzz;

/// <summary>A parser beside its twin. One instance per thread.</summary>
internal abstract class FuzzTarget
{
    /// <summary>The number of inputs is divided by this, because each input takes that many times longer.</summary>
    public virtual int Slowness => 1;

    /// <summary>Valid inputs to mutate.</summary>
    public abstract IReadOnlyList<byte[]> Corpus { get; }

    /// <summary>Pieces that mutations insert.</summary>
    public abstract IReadOnlyList<byte[]> Dictionary { get; }

    /// <summary>Parses one input with both, and compares.</summary>
    /// <param name="input">It ends at an unreadable page. Borrowed.</param>
    /// <returns>A summary of what the parser did; an input with a new one joins the corpus.</returns>
    /// <exception cref="FuzzException">They disagree.</exception>
    public abstract int Run(ReadOnlyMemory<byte> input);

    /// <summary>A number that depends on the input alone: where a target cuts it, for example.</summary>
    protected static uint Hash(ReadOnlySpan<byte> input)
    {
        uint hash = 2_166_136_261;
        foreach (byte value in input)
        {
            hash = (hash ^ value) * 16_777_619;
        }

        return hash;
    }

    /// <summary>The order of magnitude of a count or an index.</summary>
    protected static int Scale(int number) => number <= 0 ? 0 : int.Log2(number) + 1;
}
