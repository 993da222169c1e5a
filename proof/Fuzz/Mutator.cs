namespace Proof.Fuzz;

/// <summary>Makes inputs out of a corpus: bytes changed, inserted, removed and repeated, pieces of a dictionary, two inputs joined.</summary>
internal sealed class Mutator
{
    private static readonly byte[] Interesting =
        [0, 1, 9, 10, 13, 32, 34, 44, 47, 48, 57, 58, 64, 91, 92, 93, 123, 125, 127, 128, 0xBF, 0xC0, 0xED, 0xF4, 0xFF];

    private readonly Random _random;
    private readonly IReadOnlyList<byte[]> _dictionary;
    private readonly Corpus _corpus;
    private readonly byte[] _input;
    private int _length;

    /// <param name="corpus">The inputs to mutate.</param>
    /// <param name="dictionary">Pieces that are inserted.</param>
    /// <param name="seed">Decides every mutation.</param>
    /// <param name="maxBytes">The longest input.</param>
    public Mutator(Corpus corpus, IReadOnlyList<byte[]> dictionary, int seed, int maxBytes)
    {
        _random = new Random(seed);
        _dictionary = dictionary;
        _corpus = corpus;
        _input = new byte[maxBytes];
    }

    /// <summary>The next input; valid until the next call.</summary>
    public ReadOnlySpan<byte> Next()
    {
        _length = 0;
        Insert(0, _corpus.Any(_random));
        for (int left = _random.Next(8); left >= 0; left--)
        {
            Mutate();
        }

        return _input.AsSpan(0, _length);
    }

    /// <summary>Adds the last input to the corpus.</summary>
    public void Keep() => _corpus.AddOutcome(_input[.._length], _random);

    private void Mutate()
    {
        int at = _random.Next(_length + 1);
        switch (_random.Next(10))
        {
            case 0 when at < _length:
                _input[at] ^= (byte)(1 << _random.Next(8));
                break;
            case 1 when at < _length:
                _input[at] = Any(Interesting);
                break;
            case 2:
                Insert(at, [Any(Interesting)]);
                break;
            case 3:
                Remove(at, 1 + _random.Next(4));
                break;
            case 4:
                Remove(at, _random.Next(_length + 1));
                break;
            case 5:
                Insert(_random.Next(_length + 1), _input[at..Math.Min(_length, at + 1 + _random.Next(64))]);
                break;
            case 6:
                byte[] other = _corpus.Any(_random);
                int start = _random.Next(other.Length + 1);
                Remove(at, _length);
                Insert(at, other.AsSpan(start));
                break;
            case 7:
                byte[] piece = Any(_dictionary);
                Remove(at, piece.Length);
                Insert(at, piece);
                break;
            default:
                Insert(at, Any(_dictionary));
                break;
        }
    }

    private T Any<T>(IReadOnlyList<T> list) => list[_random.Next(list.Count)];

    private void Insert(int at, ReadOnlySpan<byte> piece)
    {
        int count = Math.Min(piece.Length, _input.Length - _length);
        _input.AsSpan(at, _length - at).CopyTo(_input.AsSpan(at + count));
        piece[..count].CopyTo(_input.AsSpan(at));
        _length += count;
    }

    private void Remove(int at, int count)
    {
        count = Math.Min(count, _length - at);
        _input.AsSpan(at + count, _length - at - count).CopyTo(_input.AsSpan(at));
        _length -= count;
    }
}
