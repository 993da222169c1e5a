namespace Pipeline.Tests.Generators.Combinations;

/// <summary>Which of a step's methods it has.</summary>
[Flags]
public enum Combination
{
    None = 0,
    Before = 1,
    After = 2,
    OnError = 4,
}
