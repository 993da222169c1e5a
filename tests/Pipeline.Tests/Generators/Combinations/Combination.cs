namespace Pipeline.Tests.Generators.Combinations;

/// <summary>The methods that a step implements.</summary>
[Flags]
public enum Combination
{
    None = 0,
    Before = 1,
    After = 2,
    OnError = 4,
}
