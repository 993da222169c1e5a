namespace Benchmarks.Pipelines;

/// <summary>Gives a generic part its own type with its own machine code, because the tag is a struct.</summary>
internal interface ITag
{
    static abstract int Value { get; }
}
