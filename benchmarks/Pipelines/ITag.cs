namespace Benchmarks.Pipelines;

/// <summary>Makes a generic part a type of its own, with machine code of its own: its tag is a struct.</summary>
internal interface ITag
{
    static abstract int Value { get; }
}
