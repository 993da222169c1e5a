namespace Pipeline.Tests.Execution.RandomChains;

/// <summary>One part of a random chain.</summary>
/// <param name="Shape">Its kind.</param>
/// <param name="Before">What it does before the rest.</param>
/// <param name="After">What it does after the rest.</param>
/// <param name="Error">What a step's OnError does.</param>
/// <param name="Decides">Whether it decides the settlement before the rest.</param>
internal sealed record PartSpec(Shape Shape, Deed Before, Deed After, Deed Error, bool Decides)
{
    public override string ToString() => $"{Shape}[{Before}|{After}|{Error}{(Decides ? "|decides" : string.Empty)}]";
}
