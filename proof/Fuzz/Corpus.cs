namespace Proof.Fuzz;

/// <summary>The inputs that mutations start from. Threads: any.</summary>
/// <param name="valid">The first inputs.</param>
internal sealed class Corpus(IEnumerable<byte[]> valid)
{
    private const int MaxOutcomes = 4_096;

    private readonly Lock _lock = new();

    private readonly List<byte[]> _valid = [.. valid];
    private readonly List<byte[]> _outcomes = [];

    /// <summary>The number of inputs.</summary>
    public int Count => _valid.Count + _outcomes.Count;

    /// <summary>Any of the inputs. Half of the calls return one of the first, since there may be far more of the others.</summary>
    public byte[] Any(Random random)
    {
        lock (_lock)
        {
            List<byte[]> inputs = _outcomes.Count > 0 && random.Next(2) == 0 ? _outcomes : _valid;
            return inputs[random.Next(inputs.Count)];
        }
    }

    /// <summary>Adds an input with a new outcome. It replaces another one when there are too many.</summary>
    public void AddOutcome(byte[] input, Random random)
    {
        lock (_lock)
        {
            if (_outcomes.Count < MaxOutcomes)
            {
                _outcomes.Add(input);
            }
            else
            {
                _outcomes[random.Next(MaxOutcomes)] = input;
            }
        }
    }
}
