namespace Proof.Fuzz.Coverage;

/// <summary>Which blocks of a parser have been reached. Threads share it: a new block may be seen by another thread than the one that reached it.</summary>
internal sealed class BlockCoverage
{
    private readonly (Type Type, byte[] Marks)[] _parser;
    private int _reached;

    /// <summary>Starts with no block reached.</summary>
    /// <param name="parser">The types of the parser, in assemblies that an <see cref="InstrumentedContext"/> has loaded.</param>
    public BlockCoverage(IEnumerable<Type> parser)
    {
        _parser = [.. parser.Select(type => (type, (byte[])type.Assembly.GetType(BlockMarks.Holder)!.GetField(type.FullName!)!.GetValue(null)!))];
        Array.ForEach(_parser, type => Array.Clear(type.Marks));
    }

    /// <summary>The number of blocks.</summary>
    public int Blocks => _parser.Sum(type => type.Marks.Length);

    /// <summary>The number of blocks reached.</summary>
    public int Reached
    {
        get
        {
            int reached = 0;
            foreach ((_, byte[] marks) in _parser)
            {
                reached += marks.AsSpan().Count((byte)1);
            }

            return reached;
        }
    }

    /// <summary>True when a block was reached that had not been at the last call.</summary>
    public bool HasGrown()
    {
        int before = _reached;
        _reached = Reached;
        return _reached > before;
    }

    /// <summary>The methods with blocks that were not reached, with the lines of these blocks.</summary>
    public IEnumerable<string> Describe()
    {
        foreach ((Type type, byte[] marks) in _parser)
        {
            IReadOnlyList<(string File, string Method, int Line)> blocks = BlockMarks.Describe(Path.Combine(AppContext.BaseDirectory, $"{type.Assembly.GetName().Name}.dll"), type.FullName!);
            foreach (IGrouping<(string File, string Method), int> method in blocks.Where((_, block) => marks[block] == 0).GroupBy(block => (block.File, block.Method), block => block.Line))
            {
                yield return $"{method.Key.File}:{string.Join(',', method.Distinct())} {method.Key.Method}";
            }
        }
    }
}
